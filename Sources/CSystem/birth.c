#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSystem.h"

#if defined(__APPLE__)

#include <sys/stat.h>

uint64_t cabinet_birth_time(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return 0;
    return (uint64_t)status.st_birthtimespec.tv_sec * 1000000000u
           + (uint64_t)status.st_birthtimespec.tv_nsec;
}

#elif defined(__linux__)

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t cabinet_birth_time(int descriptor) {
    uint64_t time = 0;
#ifdef SYS_statx
    /* As for mounts: the numbers and offsets are the kernel's interface, whatever the headers know. */
    enum { wanted = 0x800, mask_offset = 0, birth_offset = 80, answer_size = 256 };
    _Alignas(8) unsigned char answer[answer_size] = {0};
    uint32_t mask = 0;
    int64_t seconds = 0;
    uint32_t nanoseconds = 0;
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, wanted, answer) != 0) return 0;
    memcpy(&mask, answer + mask_offset, sizeof mask);
    if (!(mask & wanted)) return 0;
    memcpy(&seconds, answer + birth_offset, sizeof seconds);
    memcpy(&nanoseconds, answer + birth_offset + sizeof seconds, sizeof nanoseconds);
    time = (uint64_t)seconds * 1000000000u + nanoseconds;
#else
    (void)descriptor;
#endif
    return time;
}

#else

uint64_t cabinet_birth_time(int descriptor) {
    (void)descriptor;
    return 0;
}

#endif
