// Tells ThreadSanitizer what happens in the slow paths of Swift's Mutex.
//
// The fast paths, one atomic instruction, are compiled into the caller and instrumented with it. A
// Mutex that is contended is locked and unlocked by the standard library, in which nothing is
// instrumented: without this, everything that it guards would be reported as a race.
//
// Preloaded into the tests. Where there is no ThreadSanitizer in the process, it only passes on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

// Synchronization._MutexHandle._lockSlow(Swift.UInt32)
SWIFT void $s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF(uint32_t thread, SELF void *mutex) {
    static _Atomic(Lock) next;
    if (!next) next = (Lock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    ((Lock)next)(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

// Synchronization._MutexHandle._unlockSlow()
SWIFT void $s15Synchronization12_MutexHandleV11_unlockSlowyyF(SELF void *mutex) {
    static _Atomic(Unlock) next;
    if (!next) next = (Unlock)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock)next)(mutex);
}
