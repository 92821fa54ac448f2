#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CSystemCallCount.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

struct work {
    void (*body)(void *context);
    void *context;
    bool done;
};

static volatile sig_atomic_t seen;

/* Stands in for the system call: notes it and lets it succeed. */
static void note_call(int signal, siginfo_t *info, void *state) {
    (void)signal;
    ucontext_t *interrupted = state;
    long result = info->si_syscall == SYS_sched_yield ? 0 : -1;
    if (result == 0) seen = seen + 1;
#if defined(__x86_64__)
    interrupted->uc_mcontext.gregs[REG_RAX] = result;
#else
    interrupted->uc_mcontext.regs[0] = (unsigned long long)result;
#endif
}

/* For this thread only, and for ever: the thread ends with the work. */
static bool watch_this_thread(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void *run(void *argument) {
    struct work *work = argument;
    if (!watch_this_thread()) return NULL;
    work->body(work->context);
    work->done = true;
    return NULL;
}

long cabinet_count_yields(void (*body)(void *context), void *context) {
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, &before) != 0) return -1;

    seen = 0;
    struct work work = {body, context, false};
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, run, &work) == 0;
    if (started) pthread_join(thread, NULL);

    sigaction(SIGSYS, &before, NULL);
    return work.done ? seen : -1;
}

#else

long cabinet_count_yields(void (*body)(void *context), void *context) {
    (void)body;
    (void)context;
    return -1;
}

#endif
