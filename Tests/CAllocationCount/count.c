#include "CAllocationCount.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
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
