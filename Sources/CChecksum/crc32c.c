#include "CChecksum.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#endif

/* 0x1EDC6F41 with its bits in reverse: sums run from the lowest bit up. */
#define POLYNOMIAL 0x82F63B78u

static uint32_t table[256];
static pthread_once_t table_is_made = PTHREAD_ONCE_INIT;

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t remainder = i;
        for (int bit = 0; bit < 8; bit++)
            remainder = (remainder >> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
        table[i] = remainder;
    }
}

uint32_t cabinet_crc32c_table(uint32_t crc, const void *bytes, size_t count) {
    pthread_once(&table_is_made, make_table);
    const uint8_t *next = bytes;
    uint32_t sum = ~crc;
    for (size_t i = 0; i < count; i++) sum = (sum >> 8) ^ table[(sum ^ next[i]) & 0xFF];
    return ~sum;
}

/* Inputs of three lanes and more run in three lanes side by side, as an instruction waits for the one
   before it in its own lane alone: it gives a word each cycle, and its result after three. A block
   of 4 KiB takes half the time of one lane; with lanes of 2 KiB a megabyte would take 7 % less. */
#define LANE 512u

#if defined(__x86_64__)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define SUM_WORD(sum, word) _mm_crc32_u64(sum, word)
#elif defined(__aarch64__)
#define WITH_INSTRUCTION __attribute__((target("crc")))
#define SUM_WORD(sum, word) __crc32cd((uint32_t)(sum), word)
#endif

#ifdef WITH_INSTRUCTION

/* What a sum becomes when LANE zero bytes follow, by each of its bytes. */
static uint32_t behind_lane[4][256];
static pthread_once_t lane_is_made = PTHREAD_ONCE_INIT;

static uint32_t move_lane(uint32_t sum) {
    return behind_lane[0][sum & 0xFF] ^ behind_lane[1][sum >> 8 & 0xFF]
        ^ behind_lane[2][sum >> 16 & 0xFF] ^ behind_lane[3][sum >> 24];
}

WITH_INSTRUCTION
static void make_lane(void) {
    for (int bit = 0; bit < 32; bit++) {
        uint64_t sum = 1u << bit;
        for (size_t i = 0; i < LANE / 8; i++) sum = SUM_WORD(sum, 0);
        uint32_t *row = behind_lane[bit / 8];
        /* Sums are linear: what several bits become is what each becomes, one upon the other. */
        for (unsigned byte = 1u << bit % 8; byte < 256; byte++)
            if (byte & 1u << bit % 8) row[byte] ^= (uint32_t)sum;
    }
}

/* Takes as many whole stretches of three lanes as there are; moves `next` and `count` on. */
WITH_INSTRUCTION
static uint32_t run_lanes(uint32_t start, const uint8_t **next, size_t *count) {
    pthread_once(&lane_is_made, make_lane);
    uint32_t sum = start;
    for (; *count >= 3 * LANE; *count -= 3 * LANE, *next += 3 * LANE) {
        uint64_t lanes[3] = {sum, 0, 0};
        const uint8_t *bytes = *next;
        for (size_t i = 0; i < LANE; i += 8) {
            uint64_t one, two, three;
            memcpy(&one, bytes + i, 8);
            memcpy(&two, bytes + LANE + i, 8);
            memcpy(&three, bytes + 2 * LANE + i, 8);
            lanes[0] = SUM_WORD(lanes[0], one);
            lanes[1] = SUM_WORD(lanes[1], two);
            lanes[2] = SUM_WORD(lanes[2], three);
        }
        sum = move_lane(move_lane((uint32_t)lanes[0]) ^ (uint32_t)lanes[1]) ^ (uint32_t)lanes[2];
    }
    return sum;
}

#endif

#if defined(__x86_64__)

__attribute__((target("sse4.2")))
static inline uint32_t run(uint64_t sum, const uint8_t *next, size_t count) {
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        sum = _mm_crc32_u64(sum, word);
    }
    if (count & 4) {
        uint32_t word;
        memcpy(&word, next, 4);
        sum = _mm_crc32_u32((uint32_t)sum, word);
        next += 4;
    }
    for (count &= 3; count > 0; count--) sum = _mm_crc32_u8((uint32_t)sum, *next++);
    return (uint32_t)sum;
}

__attribute__((target("sse4.2")))
static uint32_t by_instruction(uint32_t crc, const uint8_t *next, size_t count) {
    uint32_t sum = ~crc;
    if (count >= 3 * LANE) sum = run_lanes(sum, &next, &count);
    return ~run(sum, next, count);
}

__attribute__((target("sse4.2")))
static uint32_t behind(uint32_t crc, uint8_t first, const uint8_t *next, size_t count) {
    return ~run(_mm_crc32_u8(~crc, first), next, count);
}

static bool has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__)

__attribute__((target("crc")))
static inline uint32_t run(uint32_t sum, const uint8_t *next, size_t count) {
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        sum = __crc32cd(sum, word);
    }
    for (; count > 0; count--) sum = __crc32cb(sum, *next++);
    return sum;
}

__attribute__((target("crc")))
static uint32_t by_instruction(uint32_t crc, const uint8_t *next, size_t count) {
    uint32_t sum = ~crc;
    if (count >= 3 * LANE) sum = run_lanes(sum, &next, &count);
    return ~run(sum, next, count);
}

__attribute__((target("crc")))
static uint32_t behind(uint32_t crc, uint8_t first, const uint8_t *next, size_t count) {
    return ~run(__crc32cb(~crc, first), next, count);
}

static bool has_instruction(void) {
#if defined(__APPLE__)
    return true;
#elif defined(__linux__) && defined(HWCAP_CRC32)
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
    return false;
#endif
}

#else

static uint32_t by_instruction(uint32_t crc, const uint8_t *next, size_t count) {
    return cabinet_crc32c_table(crc, next, count);
}

static uint32_t behind(uint32_t crc, uint8_t first, const uint8_t *next, size_t count) {
    return cabinet_crc32c_table(cabinet_crc32c_table(crc, &first, 1), next, count);
}

static bool has_instruction(void) { return false; }

#endif

/* 0: not asked yet, 1: by instruction, 2: by table. */
static atomic_int way;

static bool is_by_instruction(void) {
    int chosen = atomic_load_explicit(&way, memory_order_relaxed);
    if (chosen == 0) {
        chosen = has_instruction() ? 1 : 2;
        atomic_store_explicit(&way, chosen, memory_order_relaxed);
    }
    return chosen == 1;
}

uint32_t cabinet_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return is_by_instruction() ? by_instruction(crc, bytes, count)
                               : cabinet_crc32c_table(crc, bytes, count);
}

uint32_t cabinet_crc32c_behind(uint32_t crc, uint8_t first, const void *bytes, size_t count) {
    if (is_by_instruction()) return behind(crc, first, bytes, count);
    return cabinet_crc32c_table(cabinet_crc32c_table(crc, &first, 1), bytes, count);
}
