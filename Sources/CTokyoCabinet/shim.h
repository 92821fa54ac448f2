#ifndef CABINET_TOKYO_SHIM_H
#define CABINET_TOKYO_SHIM_H

#if !__has_include(<tchdb.h>) || !__has_include(<tcbdb.h>)
#error "Tokyo Cabinet's headers are missing. Debian and Ubuntu: apt-get install libtokyocabinet-dev. macOS: brew install tokyo-cabinet."
#else

#include <tcutil.h>
#include <tchdb.h>
#include <tcbdb.h>

/* The library's globals are mutable in C's eyes, which Swift 6 refuses: read them here. */
static inline const char *cabinet_tokyo_version(void) { return tcversion; }

/* Has the processor fetch memory that will be written soon, without waiting for it. Any address
   will do: one that is not there is not fetched. */
static inline void cabinet_prefetch(const void *address) { __builtin_prefetch(address, 1); }

/* Has the device begin to write what is in the pages of a file, without waiting for it. Linux
   alone has a call for that, and glibc's headers show it to GNU programs only. */
#if defined(__linux__) && defined(__GLIBC__)
extern int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);
static inline void cabinet_begin_writing(int descriptor) {
    (void)sync_file_range(descriptor, 0, 0, 2 /* SYNC_FILE_RANGE_WRITE */);
}
#else
static inline void cabinet_begin_writing(int descriptor) { (void)descriptor; }
#endif

#endif
#endif
