#ifndef WAYPOST_CSCHEDULING_H
#define WAYPOST_CSCHEDULING_H

#include <sched.h>
/* Swift's module Glibc lacks these headers, or some of their constants. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* A program that links this target also gets the replacement of epoll_wait in epoll_wait.c. */

/* Stores in `all` the processors on which the calling thread may run. Returns their number; 0 if
   the system call fails, as on a machine with more than 1024 processors. */
int waypost_get_affinity (cpu_set_t *all);

/* Restricts the calling thread, and the threads that it starts later, to one processor: the
   one at position `index` in `all`, counted from 0. If `index` is negative or too large, allows
   all processors in `all`. */
void waypost_set_affinity (const cpu_set_t *all, int index);

#endif
