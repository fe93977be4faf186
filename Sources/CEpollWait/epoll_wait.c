#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <sys/epoll.h>

#include "CEpollWait.h"

/* What libmicrohttpd 0.9.75 asks for, and nobody else in this process. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* When libmicrohttpd gets all 128 events that it asks for, it asks for more before it looks at any,
   and without a time limit: a worker whose 128 clients all wait for their answers waits for a 129th.
   So it never gets as many. What is left it gets the next time, as the kernel hands out those that
   are ready in turn.

   A worker that finds nothing lets others run once before it sleeps. To fall asleep and be woken
   costs as much as half of a request; and where the clients, or a proxy, are on the same machine,
   their next requests are often there when it comes back. See docs/performance.md. */
static int
wait_for_worker (int descriptor, struct epoll_event *events, int timeout)
{
  const int limit = LIBMICROHTTPD_MAX_EVENTS - 1;
  if (0 != timeout)
    {
      int count = epoll_pwait (descriptor, events, limit, 0, NULL);
      if (0 != count)
        return count;
      sched_yield ();
    }
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}

/* In the place of the C library's, for the whole process. */
int
epoll_wait (int descriptor, struct epoll_event *events, int limit, int timeout)
{
  if (LIBMICROHTTPD_MAX_EVENTS == limit)
    return wait_for_worker (descriptor, events, timeout);
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}
