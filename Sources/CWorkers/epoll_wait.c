#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CWorkers.h"

/* What libmicrohttpd 0.9.75 asks for, and nobody else in this process. */
enum { LIBMICROHTTPD_MAX_EVENTS = 128 };

/* In nanoseconds: for how long a worker asks the kernel to run, and after which it lets others run of
   itself. */
enum { TURN = 200000 };

/* The first version of the kernel's struct sched_attr, whose header the C library's excludes. */
struct scheduling
{
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

/* Asks for short turns on the processor: who takes little at a time is let run sooner, also when it
   has yielded. Linux listens from 6.12 on; what is not granted is done without. */
static void
ask_for_short_turns (void)
{
  struct scheduling scheduling = {
    .size = sizeof scheduling,
    .policy = SCHED_OTHER,
    .nice = getpriority (PRIO_PROCESS, 0),
    .runtime = TURN,
  };
  if (SCHED_OTHER == sched_getscheduler (0))
    syscall (SYS_sched_setattr, 0, &scheduling, 0);
}

/* In nanoseconds. */
static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * UINT64_C (1000000000) + time.tv_nsec;
}

/* When libmicrohttpd gets all 128 events that it asks for, it asks for more before it looks at any,
   and without a time limit: a worker whose 128 clients all wait for their answers waits for a 129th.
   So it never gets as many. What is left it gets the next time, as the kernel hands out those that
   are ready in turn.

   A worker that finds nothing lets others run once before it sleeps. To fall asleep and be woken
   costs a fifth of the time that a short request takes; and where the clients, or a proxy, are on the
   same machine, their next requests are often there when it comes back.

   One that always finds something lets others run as well when its turn is over: the kernel would let
   them wait until its next tick, 4 ms later. See docs/performance.md. */
static int
wait_for_worker (int descriptor, struct epoll_event *events, int timeout)
{
  static _Thread_local bool has_asked;
  static _Thread_local uint64_t turn_start;
  const int limit = LIBMICROHTTPD_MAX_EVENTS - 1;
  if (!has_asked)
    {
      has_asked = true;
      ask_for_short_turns ();
    }
  if (now () - turn_start > TURN)
    {
      sched_yield ();
      turn_start = now ();
    }
  int count = epoll_pwait (descriptor, events, limit, 0, NULL);
  if (0 != count || 0 == timeout)
    return count;
  sched_yield ();
  count = epoll_pwait (descriptor, events, limit, timeout, NULL);
  turn_start = now ();
  return count;
}

/* In the place of the C library's, for the whole process. */
int
epoll_wait (int descriptor, struct epoll_event *events, int limit, int timeout)
{
  if (LIBMICROHTTPD_MAX_EVENTS == limit)
    return wait_for_worker (descriptor, events, timeout);
  return epoll_pwait (descriptor, events, limit, timeout, NULL);
}
