#ifndef SPEED_RIVALS_H
#define SPEED_RIVALS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "Corpus.h"
#include "Ledger.h"

/* One piece of work on a store. */
struct speed_task {
    const char *directory; /* where the store is; it exists, and is empty before an insert */
    uint32_t objects;      /* how many songs (or named buffers) the store holds */
    uint32_t steps;        /* how many saves or fetches; 0 where the work is all objects */
    uint64_t seed;         /* what random choices begin with */
    bool full;             /* whether a power cut may lose nothing that was acknowledged */
};

/* What was done: how many objects were met, and the sum of what they hold. */
struct speed_proof {
    uint64_t count;
    uint64_t sum;
    double seconds; /* how long the work took, where opening and closing are no part of it; else 0 */
    double processor; /* what the processors spent on it meanwhile, with `seconds`; else 0 */
};

/* The next number of a fixed sequence (SplitMix64, by Sebastiano Vigna): the same choices on all
   sides. */
static inline uint64_t speed_next(uint64_t *state) {
    uint64_t word = (*state += 0x9E3779B97F4A7C15u);
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

/* The numbers below `count` in an order that depends on the seed alone (Fisher and Yates). To be
   freed; NULL: no memory. */
static inline uint32_t *speed_shuffled(uint32_t count, uint64_t seed) {
    uint32_t *numbers = malloc((count ? count : 1) * sizeof *numbers);
    if (!numbers) return NULL;
    for (uint32_t place = 0; place < count; place++) {
        uint32_t other = (uint32_t)(speed_next(&seed) % (place + 1));
        numbers[place] = numbers[other];
        numbers[other] = place;
    }
    return numbers;
}

/* A title of 20 bytes, in the order of the numbers; no byte 0 behind it. */
enum { speed_title_length = 20 };
static inline void speed_title(char *title, uint32_t number) {
    memcpy(title, "Test Song ", 10);
    for (int place = speed_title_length - 1; place >= 10; place--, number /= 10) {
        title[place] = (char)('0' + number % 10);
    }
}

/* How many keys a range walks over, and what share of all keys a range counts. */
enum { speed_walked_range = 1000, speed_counted_share = 10 };

/* Songs per playlist. */
enum { speed_playlist_length = 100 };

/* SQLite through its C API. Each call opens the database, does its work and closes it again; the
   last to close checkpoints. NULL, or why it failed. */
const char *sqlite_insert_songs(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_songs(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_update_songs(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_small(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_random(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_open_store(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_playlists(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_first_titles(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_all_titles(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_names(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_names(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_keys(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_keys_then_index(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_sorted_keys(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_keys(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_sorted_keys(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_walk_keys(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_walk_key_ranges(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_count_key_ranges(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_look_up_keys(const struct speed_task *task, struct speed_proof *proof);

/* Songs with attributes, and indexes on them: `sqlite_catalog.c`. */
const char *sqlite_insert_catalog(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_indexed_catalog(
    const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_catalog_then_index(
    const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_coded_catalog(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_grouped_catalog(
    const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_index_titles(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_index_codes(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_walk_titles(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_walk_codes(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_coded(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_ranges(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_range_rows(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_count_ranges(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_pages(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_fetch_first_by_title(
    const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_scan_catalog(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_intersect_groups(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_codes(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_open_catalog(const struct speed_task *task, struct speed_proof *proof);

/* FTS5 over the texts of `Corpus.h`: `sqlite_texts.c`. */
const char *sqlite_insert_title_words(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_title_parts(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_titles_alone(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_insert_manual(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_search_word(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_search_word_ranked(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_search_best(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_search_phrase(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_search_part(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_title_words(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_save_titles_alone(const struct speed_task *task, struct speed_proof *proof);

/* The ledger of `Ledger.h`: `sqlite_ledger.c`. */
const char *sqlite_import_ledger(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_ledger_balances(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_ledger_months(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_ledger_latest(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_ledger_search(const struct speed_task *task, struct speed_proof *proof);
const char *sqlite_edit_ledger(const struct speed_task *task, struct speed_proof *proof);

/* Tokyo Cabinet without anything around it: Cabinet's keys, values of Cabinet's length (four
   bytes stand for the checksum), no log and no sync. */
const char *tokyo_insert_songs(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_fetch_songs(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_update_songs(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_save_small(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_fetch_random(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_open_store(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_insert_playlists(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_fetch_first_titles(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_fetch_all_titles(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_insert_names(const struct speed_task *task, struct speed_proof *proof);
const char *tokyo_fetch_names(const struct speed_task *task, struct speed_proof *proof);

/* Seconds on a clock that never goes back. */
double speed_clock(void);

/* Seconds that the processors have spent on the process. */
double speed_processor_clock(void);

/* Anonymous memory of the process in bytes: heap and stacks, no mapped files. 0 if unknown. */
uint64_t speed_anonymous_bytes(void);

/* Watches the anonymous memory from a thread of its own, every two milliseconds. */
void speed_watch_begin(void);

/* Ends the watch; the highest value it saw, in bytes. */
uint64_t speed_watch_end(void);

/* A database with `rows` songs at `path`, in write-ahead mode. NULL, or what went wrong. */
const char *speed_sqlite_shared_prepare(const char *path, int rows);

/* `connections` at most 64, each on a thread of its own, change a row each, `saves` times, synced
   each time. NULL, or what went wrong. */
const char *speed_sqlite_shared_save(const char *path, int connections, int saves);

#endif
