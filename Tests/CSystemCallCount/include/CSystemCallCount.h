#ifndef CABINET_SYSTEM_CALL_COUNT_H
#define CABINET_SYSTEM_CALL_COUNT_H

/// Runs `body` on a thread of its own and returns how many of that thread's `sched_yield` calls
/// reached the system, whichever library they came from.
///
/// The kernel counts: a seccomp filter on the thread stops each call, and a signal handler notes
/// it. Returns -1 where there is no such filter (macOS, a sandbox that forbids it); `body` has
/// then not run. One count at a time: the handler belongs to the whole process.
long cabinet_count_yields(void (*body)(void *context), void *context);

#endif
