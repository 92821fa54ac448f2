#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSystem.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t ordinary_place;
uint64_t *cabinet_process_place = &ordinary_place;

/* The last number given out, in this process or one that it was forked from. A child goes on from
   its copy, so no process has the number of one that it was forked from. */
static uint64_t last_number;

/* In a child, where only one thread is left. */
static void forget(void) { __atomic_store_n(cabinet_process_place, 0, __ATOMIC_RELAXED); }

/* Sees that a child finds 0. Handlers are called by fork() on every system; _Fork() and the plain
   system call do not call them, but Linux empties a page of this kind by itself. */
static void prepare(void) {
#ifdef MADV_WIPEONFORK
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        if (madvise(page, size, MADV_WIPEONFORK) == 0) cabinet_process_place = page;
        else (void)munmap(page, size);
    }
#endif
    (void)pthread_atfork(NULL, NULL, forget);
}

uint64_t cabinet_process_number(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, prepare);
    uint64_t number = cabinet_process_mark();
    if (number != 0) return number;
    uint64_t next = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    /* Another thread may have been first: then its number counts. */
    return __atomic_compare_exchange_n(cabinet_process_place, &number, next, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)
               ? next
               : number;
}
