#ifndef SPEED_TOKYO_SHIM_H
#define SPEED_TOKYO_SHIM_H

#if !__has_include(<tchdb.h>)
#error "Tokyo Cabinet's headers are missing. Debian and Ubuntu: apt-get install libtokyocabinet-dev. macOS: brew install tokyo-cabinet."
#else
#include <tchdb.h>
#endif
#endif
