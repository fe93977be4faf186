#ifndef WAYPOST_CWORKERS_H
#define WAYPOST_CWORKERS_H

#include <sched.h>

/* Besides these: what is linked with it gets its epoll_wait. */

/* Which processors the calling thread may run on, and the threads that it starts: sched_getaffinity and
   sched_setaffinity, which Swift does not see as they are GNU's. Both return 0, or -1. */
int waypost_get_processors (cpu_set_t *processors);
int waypost_set_processors (const cpu_set_t *processors);

#endif
