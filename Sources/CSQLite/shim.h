#ifndef CABINET_SQLITE_SHIM_H
#define CABINET_SQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "SQLite's header is missing. Debian and Ubuntu: apt-get install libsqlite3-dev. macOS: it comes with the command line tools."
#else
#include <sqlite3.h>
#endif

#endif
