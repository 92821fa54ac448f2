#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CRivals.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/mach.h>
#endif

double speed_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double speed_processor_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#ifdef __APPLE__

uint64_t speed_anonymous_bytes(void) {
    task_vm_info_data_t info;
    mach_msg_type_number_t size = TASK_VM_INFO_COUNT;
    kern_return_t code = task_info(mach_task_self(), TASK_VM_INFO, (task_info_t)&info, &size);
    return code == KERN_SUCCESS ? info.internal : 0;
}

#else

/* statm counts pages; resident without shared is what status calls RssAnon, and reading it costs
   a tenth. */
uint64_t speed_anonymous_bytes(void) {
    char text[256];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    unsigned long size, resident, shared;
    if (sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3) return 0;
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

#endif

static _Atomic uint64_t peak;
static _Atomic int watching;
static pthread_t watcher;

static void look(void) {
    uint64_t now = speed_anonymous_bytes();
    if (now > atomic_load(&peak)) atomic_store(&peak, now);
}

static void *watch(void *context) {
    const struct timespec pause = {0, 2000000};
    while (atomic_load(&watching)) {
        look();
        nanosleep(&pause, NULL);
    }
    return context;
}

void speed_watch_begin(void) {
    atomic_store(&peak, 0);
    look();
    atomic_store(&watching, 1);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0) atomic_store(&watching, 0);
}

uint64_t speed_watch_end(void) {
    look();
    if (atomic_exchange(&watching, 0)) pthread_join(watcher, NULL);
    return atomic_load(&peak);
}
