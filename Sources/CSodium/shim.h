#ifndef CABINET_SODIUM_SHIM_H
#define CABINET_SODIUM_SHIM_H

#if __has_include(<sodium.h>)
#include <sodium.h>
#else
#error "libsodium's header is missing. Debian and Ubuntu: apt-get install libsodium-dev. macOS: brew install libsodium."
#endif

#endif
