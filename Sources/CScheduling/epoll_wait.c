#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "CScheduling.h"

/* What libmicrohttpd 0.9.75 asks for, and nobody else in this process. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* Replaces the C library's function for the whole process.

   When libmicrohttpd gets all 128 events that it asks for, it asks for more before it looks at any,
   and without a time limit: a worker whose 128 clients all wait for their responses waits for a 129th.
   It therefore never gets as many. The next call returns the rest, as the kernel hands out the
   descriptors that are ready in turn.

   A worker that finds nothing yields once before it sleeps. To fall asleep and be woken costs a fifth of
   the time of a short request, and where clients or a proxy run on the same machine, their next requests
   are often there when the worker comes back. See docs/performance.md. */
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
