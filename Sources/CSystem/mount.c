#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSystem.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

uint64_t cabinet_mount_number(int descriptor) {
    uint64_t number = 0;
#ifdef SYS_statx
    /* Headers older than the kernel lack STATX_MNT_ID_UNIQUE, and stx_mnt_id behind it; the numbers
       and offsets are the kernel's interface. */
    enum { wanted = 0x4000, mask_offset = 0, mount_offset = 144, answer_size = 256 };
    _Alignas(8) unsigned char answer[answer_size] = {0};
    uint32_t mask = 0;
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, wanted, answer) != 0) return 0;
    memcpy(&mask, answer + mask_offset, sizeof mask);
    if (mask & wanted) memcpy(&number, answer + mount_offset, sizeof number);
#else
    (void)descriptor;
#endif
    return number;
}

static uint64_t number_in_file(const char *path) {
    char text[32];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    (void)close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    return strtoull(text, NULL, 10);
}

uint64_t cabinet_disk_number(int descriptor) {
    struct stat status;
    char path[80];
    if (fstat(descriptor, &status) != 0) return 0;
    /* The number belongs to the whole disk, in whose directory those of its partitions are. */
    for (int level = 0; level < 2; level++) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%sdiskseq", major(status.st_dev),
                 minor(status.st_dev), level == 0 ? "" : "../");
        uint64_t number = number_in_file(path);
        if (number != 0) return number;
    }
    return 0;
}

#else

uint64_t cabinet_mount_number(int descriptor) {
    (void)descriptor;
    return 0;
}

uint64_t cabinet_disk_number(int descriptor) {
    (void)descriptor;
    return 0;
}

#endif
