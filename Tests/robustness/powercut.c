/* A disk that forgets what was not synced.
 *
 * Preloaded into a process, this copies a file below $POWERCUT_FOLDER to FILE.durable whenever the
 * process syncs it: the copies are what a power cut would leave. It copies before the sync returns,
 * so that nothing can be acknowledged that is not in a copy.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep(int descriptor) {
    const char *folder = getenv("POWERCUT_FOLDER");
    char link[64], path[PATH_MAX], copy[PATH_MAX + 16], buffer[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!folder || length < 0) return;
    path[length] = 0;
    struct stat status;
    if (strncmp(path, folder, strlen(folder)) || fstat(descriptor, &status) ||
        !S_ISREG(status.st_mode))
        return;
    /* Renamed at the end, so that a kill leaves the older copy or the newer one. */
    snprintf(copy, sizeof copy, "%s.copying", path);
    int from = open(path, O_RDONLY), to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t count;
    while (from >= 0 && to >= 0 && (count = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, count) != count) abort();
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    char durable[PATH_MAX + 16];
    snprintf(durable, sizeof durable, "%s.durable", path);
    rename(copy, durable);
}

int fsync(int descriptor) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    keep(descriptor);
    return next(descriptor);
}

int fdatasync(int descriptor) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    keep(descriptor);
    return next(descriptor);
}
