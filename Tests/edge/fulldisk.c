/* A disk that is full while the file $FULL_DISK exists, and hangs while $HUNG_DISK exists.
 *
 * Preloaded into a process, this refuses with ENOSPC to write to the files below $FULL_DISK_FOLDER,
 * as a file system without a free block does, and lets a sync wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_full(int descriptor) {
    const char *sign = getenv("FULL_DISK"), *folder = getenv("FULL_DISK_FOLDER");
    char link[64], path[PATH_MAX];
    if (!sign || !folder || access(sign, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder))) return 0;
    errno = ENOSPC;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *data, size_t count) {
    return is_full(descriptor) ? -1 : NEXT(write)(descriptor, data, count);
}

ssize_t pwrite(int descriptor, const void *data, size_t count, off_t offset) {
    return is_full(descriptor) ? -1 : NEXT(pwrite)(descriptor, data, count, offset);
}

static void wait_for_disk(void) {
    const char *sign = getenv("HUNG_DISK");
    while (sign && !access(sign, F_OK)) usleep(10000);
}

int fsync(int descriptor) {
    wait_for_disk();
    return NEXT(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    wait_for_disk();
    return NEXT(fdatasync)(descriptor);
}

ssize_t pwrite64(int descriptor, const void *data, size_t count, off64_t offset) {
    return is_full(descriptor) ? -1 : NEXT(pwrite64)(descriptor, data, count, offset);
}
