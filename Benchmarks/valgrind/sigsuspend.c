/* Preloaded under valgrind: cc -shared -fPIC. Up to 3.22, valgrind writes into the signal mask that
 * sigsuspend is given, and libdispatch's lies in memory that cannot be written. */

#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int
sigsuspend (const sigset_t *mask)
{
  sigset_t copy = *mask;
  /* The kernel's mask is shorter than the C library's. */
  return syscall (SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
