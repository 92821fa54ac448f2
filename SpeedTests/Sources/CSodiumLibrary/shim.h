#ifndef SPEED_SODIUM_SHIM_H
#define SPEED_SODIUM_SHIM_H

#if !__has_include(<sodium.h>)
#error "libsodium's header is missing. Debian and Ubuntu: apt-get install libsodium-dev. macOS: brew install libsodium."
#else
#include <sodium.h>
#endif
#endif
