#ifndef CABINET_SYSTEM_H
#define CABINET_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

/// Where the number of this process is kept; 0 stands for none yet. For the inline function below
/// alone.
extern uint64_t *cabinet_process_place;

/// The number that tells this process from those that it was forked from. Never 0, the same at
/// every call, and safe to call from any thread. Numbers mean nothing outside the process.
uint64_t cabinet_process_number(void);

/// What `cabinet_process_number` returned in this process, or 0 if it was not called since the
/// process was forked: one load, no call.
static inline uint64_t cabinet_process_mark(void) {
    return __atomic_load_n(cabinet_process_place, __ATOMIC_RELAXED);
}

/// Has the processor fetch memory that will be read soon, without waiting for it. Any address will
/// do: one that is not there is not fetched.
static inline void cabinet_prefetch_to_read(const void *address) {
    __builtin_prefetch(address, 0);
}

/// The number of the mount that the open file `descriptor` is on, which no other mount gets until
/// the machine is restarted. 0 where the system does not say: on Linux before 6.8 and on other
/// systems.
uint64_t cabinet_mount_number(int descriptor);

/// The number of the disk behind the open file `descriptor`, which no other disk gets until the
/// machine is restarted, nor the same one when it is pulled and plugged in again. 0 where the
/// system does not say: on Linux before 5.15, on other systems, and for file systems that are on no
/// disk or on several.
uint64_t cabinet_disk_number(int descriptor);

/// When the open file `descriptor` was made, in nanoseconds since 1970-01-01 00:00 UTC; 0 where the
/// system or the file system does not say.
uint64_t cabinet_birth_time(int descriptor);

/// Writes zeros to the bytes from `start` to `end` of the open file `descriptor`, which must be
/// allocated, and maps them for writing, from the page on in which `start` lies. Sets `size` to how
/// many bytes are mapped. `NULL` if that fails or where a later store might: on systems other than
/// Linux, and on file systems that need new space to write a page again.
void *cabinet_map_zeros(int descriptor, uint64_t start, uint64_t end, size_t *size);

/// Gives the system back what the allocator keeps of freed memory. GNU's keeps in each of up to 8 arenas
/// a processor what was ever used of it at once. Does nothing with other C libraries.
void cabinet_return_memory(void);

/// Copies `count` bytes to `place`, the first 8 of them last, before any store that follows.
void cabinet_store(void *place, const void *bytes, size_t count);

/// Loads what another thread may be changing, in no order with other loads. One load.
static inline uint64_t cabinet_load_relaxed(const uint64_t *place) {
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}

/// Sets `bits` in what other threads may be changing, in no order with other stores.
static inline void cabinet_set_bits_relaxed(uint64_t *place, uint64_t bits) {
    __atomic_fetch_or(place, bits, __ATOMIC_RELAXED);
}

#endif
