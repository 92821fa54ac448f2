#include "CFuzzer.h"

// Only a build for fuzzing links libFuzzer; every other one must link without it.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, cabinet_fuzz_body body);

// What libFuzzer's own main would call. It has to be there, and is never used.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return 0;
}

int cabinet_fuzz(int argc, char **argv, cabinet_fuzz_body body) {
    if (!LLVMFuzzerRunDriver) return -1;
    return LLVMFuzzerRunDriver(&argc, &argv, body);
}
