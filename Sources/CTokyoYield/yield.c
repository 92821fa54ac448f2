#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CTokyoYield.h"

#ifdef __linux__
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The executable segment of libtokyocabinet. Both are 0 while the gate is open. The length is
   published last and taken away first, so a reader never sees a range that never was. */
static _Atomic uintptr_t segment_start;
static _Atomic uintptr_t segment_length;

static int note_segment(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    if (!object->dlpi_name || !strstr(object->dlpi_name, "libtokyocabinet")) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        atomic_store_explicit(&segment_start, object->dlpi_addr + header->p_vaddr,
                              memory_order_relaxed);
        atomic_store_explicit(&segment_length, header->p_memsz, memory_order_release);
    }
    return 1;
}

bool cabinet_yield_gate_close(void) {
    if (cabinet_yield_gate_is_closed()) return true;
    const char *wish = getenv("CABINET_TOKYO_YIELD");
    if (wish && strcmp(wish, "1") == 0) return false;
    dl_iterate_phdr(note_segment, NULL);
    return cabinet_yield_gate_is_closed();
}

void cabinet_yield_gate_open(void) {
    atomic_store_explicit(&segment_length, 0, memory_order_release);
}

bool cabinet_yield_gate_is_closed(void) {
    return atomic_load_explicit(&segment_length, memory_order_acquire) != 0;
}

/* The executable's own definition comes before libc's when the loader resolves the name, so the
   calls of the library arrive here, and are recognised by where they return to. */
__attribute__((visibility("default"))) int sched_yield(void) {
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    uintptr_t length = atomic_load_explicit(&segment_length, memory_order_acquire);
    uintptr_t start = atomic_load_explicit(&segment_start, memory_order_relaxed);
    if (caller - start < length) return 0;
    return (int)syscall(SYS_sched_yield);
}

#else

bool cabinet_yield_gate_close(void) { return false; }
void cabinet_yield_gate_open(void) {}
bool cabinet_yield_gate_is_closed(void) { return false; }

#endif
