#ifndef CABINET_POSTGRESQL_SHIM_H
#define CABINET_POSTGRESQL_SHIM_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "PostgreSQL's header is missing. Debian and Ubuntu: apt-get install libpq-dev. macOS: brew install libpq."
#endif

#endif
