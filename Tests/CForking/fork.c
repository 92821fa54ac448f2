#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CForking.h"

#include "CSystem.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

pid_t cabinet_fork(void) { return fork(); }

void cabinet_leave(int code) { _exit(code); }

long cabinet_mark_in_child(int plainly) {
    pid_t child;
    if (!plainly) {
        child = fork();
    } else {
#ifdef __linux__
        child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#else
        return -1;
#endif
    }
    if (child == 0) _exit(cabinet_process_mark() == 0 ? 0 : 1);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -2;
    return WEXITSTATUS(status);
}
