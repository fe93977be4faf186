#define _GNU_SOURCE
#include "CScheduling.h"

int
waypost_get_affinity (cpu_set_t *all)
{
  return 0 == sched_getaffinity (0, sizeof *all, all) ? CPU_COUNT (all) : 0;
}

void
waypost_set_affinity (const cpu_set_t *all, int index)
{
  cpu_set_t one;
  CPU_ZERO (&one);
  for (int processor = 0; index >= 0 && processor < CPU_SETSIZE; processor++)
    if (CPU_ISSET (processor, all) && 0 == index--)
      CPU_SET (processor, &one);
  sched_setaffinity (0, sizeof one, 0 == CPU_COUNT (&one) ? all : &one);
}
