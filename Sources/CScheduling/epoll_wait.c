#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "CScheduling.h"

/* The number of events that libmicrohttpd 0.9.75 asks for when it calls epoll_wait. No other code
   in this process asks for the same number. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* Replaces the C library's epoll_wait for the whole process. Calls by other code than libmicrohttpd
   behave as usual.

   When libmicrohttpd gets 128 events, as many as it asked for, it calls epoll_wait again before it
   handles any of them, and without a time limit. If all 128 clients wait for their responses, the
   worker thread then sleeps until another client sends something. Therefore this function returns
   at most 127 events to libmicrohttpd. The next call returns the others, because the kernel reports
   ready descriptors in turn.

   A worker thread that finds no events yields the processor once before it sleeps. To fall asleep
   and wake up costs a fifth of the time of a short request. If the clients or a proxy run on the
   same machine, their next requests have often arrived when the worker thread continues. See
   docs/performance.md. */
int
epoll_wait (int descriptor, struct epoll_event *events, int limit, int timeout)
{
  if (LIBMICROHTTPD_MAX_EVENTS != limit)
    return epoll_pwait (descriptor, events, limit, timeout, NULL);
  limit--;
  int count = epoll_pwait (descriptor, events, limit, 0, NULL);
  if (0 != count || 0 == timeout)
    return count;
  sched_yield ();
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}
