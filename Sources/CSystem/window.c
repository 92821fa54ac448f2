#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSystem.h"

#include <string.h>

#ifdef __linux__

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems that write a block again where it stands. Others may need new space for a page that
   was on the device already, and answer a store with SIGBUS when there is none. */
static int writes_in_place(int descriptor) {
    enum { ext = 0xEF53, tmpfs = 0x01021994 };
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    return status.f_type == ext || status.f_type == tmpfs;
}

static int write_zeros(int descriptor, uint64_t start, uint64_t end) {
    static const unsigned char zeros[1 << 16];
    while (start < end) {
        size_t count = end - start < sizeof zeros ? (size_t)(end - start) : sizeof zeros;
        ssize_t done = pwrite(descriptor, zeros, count, (off_t)start);
        if (done <= 0) return 0;
        start += (uint64_t)done;
    }
    return 1;
}

void *cabinet_map_zeros(int descriptor, uint64_t start, uint64_t end, size_t *size) {
    enum { populate_write = 23 }; /* MADV_POPULATE_WRITE, since Linux 5.14 */
    uint64_t base = start - start % (uint64_t)sysconf(_SC_PAGESIZE);
    struct stat status;
    if (!writes_in_place(descriptor) || fstat(descriptor, &status) != 0 ||
        (uint64_t)status.st_size < end || !write_zeros(descriptor, start, end))
        return NULL;
    size_t length = (size_t)(end - base);
    void *memory =
        mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)base);
    if (memory == MAP_FAILED) return NULL;
    /* Older systems know no such advice. Any other error says that a store would fail. */
    if (madvise(memory, length, populate_write) != 0 && errno != EINVAL) {
        (void)munmap(memory, length);
        return NULL;
    }
    *size = length;
    return memory;
}

#else

void *cabinet_map_zeros(int descriptor, uint64_t start, uint64_t end, size_t *size) {
    (void)descriptor, (void)start, (void)end, (void)size;
    return NULL;
}

#endif

void cabinet_store(void *place, const void *bytes, size_t count) {
    enum { first = 8 };
    if (count > first) {
        memcpy((char *)place + first, (const char *)bytes + first, count - first);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    memcpy(place, bytes, count < first ? count : first);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}
