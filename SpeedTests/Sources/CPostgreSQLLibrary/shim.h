#ifndef SPEED_POSTGRESQL_SHIM_H
#define SPEED_POSTGRESQL_SHIM_H

#if !__has_include(<libpq-fe.h>)
#error "PostgreSQL's header is missing. Debian and Ubuntu: apt-get install libpq-dev. macOS: brew install libpq."
#else
#include <libpq-fe.h>
#endif
#endif
