#ifndef CABINET_FORKING_H
#define CABINET_FORKING_H

#include <sys/types.h>

/// `fork()`, which Swift does not show.
pid_t cabinet_fork(void);

/// Ends this process without any of the steps that ending a program takes.
void cabinet_leave(int code);

/// What `cabinet_process_mark` says in a child: made by `fork()`, or by the plain system call, for
/// which no handler runs. -1 where there is no such call, -2 if the child could not be made.
long cabinet_mark_in_child(int plainly);

#endif
