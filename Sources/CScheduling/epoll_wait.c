#define _GNU_SOURCE
#include <stddef.h>
#include <sys/epoll.h>

#include "CScheduling.h"

/* What libmicrohttpd 0.9.75 asks for, and nobody else in this process. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* Replaces the C library's function for the whole process.

   When libmicrohttpd gets all 128 events that it asks for, it asks for more before it looks at any,
   and without a time limit: a worker whose 128 clients all wait for their responses waits for a 129th.
   It therefore never gets as many. The next call returns the rest, as the kernel hands out the
   descriptors that are ready in turn. */
int
epoll_wait (int descriptor, struct epoll_event *events, int limit, int timeout)
{
  if (LIBMICROHTTPD_MAX_EVENTS == limit)
    limit--;
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}
