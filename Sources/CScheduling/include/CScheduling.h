#ifndef WAYPOST_CSCHEDULING_H
#define WAYPOST_CSCHEDULING_H

#include <sched.h>
/* Swift's module of the C library lacks these, or some of their constants. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* A program that is linked with this target gets its epoll_wait, too. */

/* Stores on which processors the calling thread may run, and the threads that it starts. Returns how
   many they are; 0 if the system does not tell: it has more than 1024. */
int waypost_get_affinity (cpu_set_t *all);

/* Restricts the calling thread, and the threads that it starts, to processor number `index` of `all`;
   to all of them where `index` is negative. */
void waypost_set_affinity (const cpu_set_t *all, int index);

#endif
