#ifndef CABINET_ALLOCATION_COUNT_H
#define CABINET_ALLOCATION_COUNT_H

/// Runs `body` on this thread and returns how many blocks of memory the thread asked the system's
/// allocator for meanwhile, whichever library it did so in. What grows in place counts as none.
///
/// Returns -1 where counting is not possible (another C library than glibc, a sanitizer that
/// allocates itself); `body` has then not run.
long cabinet_count_allocations(void (*body)(void *context), void *context);

/// How many bytes of blocks the process has from the system's allocator, in all threads.
///
/// Returns -1 where counting is not possible (another C library than glibc, a sanitizer).
long cabinet_heap_in_use(void);

#endif
