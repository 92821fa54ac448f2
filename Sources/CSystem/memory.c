#include "CSystem.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void cabinet_return_memory(void) { (void)malloc_trim(0); }

#else

void cabinet_return_memory(void) {}

#endif
