#ifndef CABINET_TOKYO_YIELD_H
#define CABINET_TOKYO_YIELD_H

#include <stdbool.h>
#include <stdint.h>

/// Finds Tokyo Cabinet in the process and closes the gate: from then on its calls of
/// `sched_yield` return at once. Everybody else's still reach the system.
///
/// Debian and Ubuntu ship the library built to provoke races: it yields about once per record,
/// which costs more than the record does. Safe to call from any thread, any number of times.
/// Returns whether the gate is closed: `false` where the library does not stand in a shared
/// object of its own (static linking, macOS) or where the environment holds
/// `CABINET_TOKYO_YIELD=1`, which leaves every call alone.
bool cabinet_yield_gate_close(void);

/// Lets Tokyo Cabinet yield again, as its builder meant it to.
void cabinet_yield_gate_open(void);

/// Whether the gate is closed.
bool cabinet_yield_gate_is_closed(void);

#endif
