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

#endif
#endif
