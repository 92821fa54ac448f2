#ifndef CABINET_ZLIB_SHIM_H
#define CABINET_ZLIB_SHIM_H

#if !__has_include(<zlib.h>)
#error "zlib's header is missing. Debian and Ubuntu: apt-get install zlib1g-dev. macOS: it comes with the command line tools."
#else
#include <zlib.h>
#endif

#endif
