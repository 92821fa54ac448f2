#include "CAllocationCount.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2 1
#endif
#endif

#ifdef HAS_MALLINFO2

#include <malloc.h>

long cabinet_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

#else

long cabinet_heap_in_use(void) { return -1; }

#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

static _Thread_local long allocations;

extern void *__libc_malloc(size_t size);

/* The executable's own definition comes before libc's when the loader resolves the name, so every
   library's calls arrive here. */
__attribute__((visibility("default"))) void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

long cabinet_count_allocations(void (*body)(void *context), void *context) {
    long before = allocations;
    body(context);
    return allocations - before;
}

#else

long cabinet_count_allocations(void (*body)(void *context), void *context) {
    (void)body;
    (void)context;
    return -1;
}

#endif
