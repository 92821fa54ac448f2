#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Takes the bytes of one attempt. What it returns is 0.
typedef int (*cabinet_fuzz_body)(const uint8_t *bytes, size_t count);

/// Lets libFuzzer call `body` with ever new bytes, steered by its options in `argv`.
/// Returns what the process is to exit with; -1 if the program was built without libFuzzer.
int cabinet_fuzz(int argc, char **argv, cabinet_fuzz_body body);

#endif
