#ifndef CABINET_CHECKSUM_H
#define CABINET_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// The CRC-32C of `count` bytes at `bytes`, continuing `crc`, which is 0 for a fresh start.
///
/// Castagnoli's polynomial 0x1EDC6F41, reflected, all bits inverted before and after: the sum of
/// iSCSI (RFC 3720), ext4 and LevelDB. The processor's own instruction does the work where there
/// is one (SSE 4.2, ARMv8 CRC), a table otherwise. `bytes` may be NULL if `count` is 0.
uint32_t cabinet_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The CRC-32C of the byte `first` and `count` bytes at `bytes` behind it, continuing `crc`.
uint32_t cabinet_crc32c_behind(uint32_t crc, uint8_t first, const void *bytes, size_t count);

/// What ``cabinet_crc32c`` gives, by the table alone, so that a test can hold one against the
/// other.
uint32_t cabinet_crc32c_table(uint32_t crc, const void *bytes, size_t count);

#endif
