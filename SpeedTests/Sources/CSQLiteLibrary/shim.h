#ifndef SPEED_SQLITE_SHIM_H
#define SPEED_SQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "SQLite's header is missing. Debian and Ubuntu: apt-get install libsqlite3-dev. macOS: brew install sqlite."
#else
#include <sqlite3.h>
#endif
#endif
