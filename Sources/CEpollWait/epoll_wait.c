#define _GNU_SOURCE
#include <stddef.h>
#include <sys/epoll.h>

#include "CEpollWait.h"

/* libmicrohttpd 0.9.75 asks for 128 events at once. When it gets all 128 it asks for more before it
   looks at any, and without a time limit: a worker whose 128 clients all wait for their answers
   waits for a 129th. So it never gets as many. What is left it gets the next time, as the kernel
   hands out those that are ready in turn. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* In the place of the C library's, for the whole process. */
int
epoll_wait (int descriptor, struct epoll_event *events, int limit, int timeout)
{
  if (LIBMICROHTTPD_MAX_EVENTS == limit)
    limit -= 1;
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}
