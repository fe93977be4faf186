#define _GNU_SOURCE
#include "CWorkers.h"

int
waypost_get_processors (cpu_set_t *processors)
{
  return sched_getaffinity (0, sizeof *processors, processors);
}

int
waypost_set_processors (const cpu_set_t *processors)
{
  return sched_setaffinity (0, sizeof *processors, processors);
}
