#include "tokyo_file.h"

#include <stdlib.h>
#include <string.h>

const char *tokyo_insert_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "Song", task->objects);
    tokyo_file_put_songs(&file, task->objects, proof);
    return tokyo_file_close(&file);
}

static bool add_song(
    const void *key, int key_length, const void *value, int length, void *context) {
    struct speed_proof *proof = context;
    proof->count += key && key_length > 0;
    proof->sum += tokyo_number(value, length);
    return true;
}

const char *tokyo_fetch_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "Song", task->objects);
    if (!file.failed && !tchdbforeach(file.handle, add_song, proof)) file.failed = true;
    return tokyo_file_close(&file);
}

struct song {
    char key[12];
    int key_length;
    unsigned char value[44];
    int length;
};

struct songs {
    struct song *song;
    uint32_t count, room;
};

static bool keep_song(
    const void *key, int key_length, const void *value, int length, void *context) {
    struct songs *songs = context;
    if (songs->count == songs->room || key_length > 12 || length > 44) return false;
    struct song *song = &songs->song[songs->count++];
    memcpy(song->key, key, (size_t)key_length);
    memcpy(song->value, value, (size_t)length);
    song->key_length = key_length;
    song->length = length;
    return true;
}

/* Every song is read, then every song is written. */
const char *tokyo_update_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct songs songs = {malloc(task->objects * sizeof *songs.song), 0, task->objects};
    if (!songs.song) return "no memory";
    struct file file = tokyo_file_open(task, "Song", task->objects);
    if (!file.failed && !tchdbforeach(file.handle, keep_song, &songs)) file.failed = true;
    for (uint32_t index = 0; index < songs.count; index++) {
        struct song *song = &songs.song[index];
        uint32_t number = tokyo_number(song->value, song->length) + 1;
        memcpy(song->value + song->length - 8, &number, 4);
        tokyo_file_put(&file, song->key, song->key_length, song->value, song->length);
        proof->count++;
        proof->sum += number;
    }
    free(songs.song);
    return tokyo_file_close(&file);
}

const char *tokyo_save_small(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "Song", task->objects);
    uint64_t state = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps; step++) {
        char key[16];
        unsigned char value[64];
        uint32_t row = first_row + (uint32_t)(speed_next(&state) % task->objects);
        int length = tokyo_file_get(&file, row, value, sizeof value);
        if (length < 0) break;
        uint32_t number = tokyo_number(value, length) + 1;
        memcpy(value + length - 8, &number, 4);
        int key_length = tokyo_key(key, row);
        tokyo_file_put(&file, key, key_length, value, length);
        proof->count++;
        proof->sum += number;
    }
    proof->seconds = speed_clock() - start;
    return tokyo_file_close(&file);
}

const char *tokyo_fetch_random(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "Song", task->objects);
    uint64_t state = task->seed;
    for (uint32_t step = 0; step < task->steps; step++) {
        unsigned char value[64];
        uint32_t row = first_row + (uint32_t)(speed_next(&state) % task->objects);
        int length = tokyo_file_get(&file, row, value, sizeof value);
        if (length < 0) break;
        proof->count++;
        proof->sum += tokyo_number(value, length);
    }
    return tokyo_file_close(&file);
}

const char *tokyo_open_store(const struct speed_task *task, struct speed_proof *proof) {
    struct file file = tokyo_file_open(task, "Song", task->objects);
    unsigned char value[64];
    int length = tokyo_file_get(&file, first_row, value, sizeof value);
    if (length >= 0) {
        proof->count = 1;
        proof->sum = tokyo_number(value, length);
    }
    return tokyo_file_close(&file);
}
