#include "tokyo_file.h"

#include <stdio.h>
#include <string.h>

/* Version, title behind its length, count, rows, 4 bytes for a checksum. */
enum { playlist_room = 64 + 4 * speed_playlist_length };

static void put_playlists(
    struct file *file, const struct speed_task *task, struct speed_proof *proof) {
    uint64_t state = task->seed;
    for (uint32_t list = 0; list < task->objects / 100; list++) {
        char key[16];
        unsigned char value[playlist_room] = {1};
        const uint32_t count = speed_playlist_length;
        uint32_t length = (uint32_t)snprintf((char *)value + 5, 32, "Playlist %u", list);
        memcpy(value + 1, &length, 4);
        unsigned char *place = value + 5 + length;
        memcpy(place, &count, 4);
        place += 4;
        for (uint32_t position = 0; position < count; position++, place += 4) {
            uint64_t number = speed_next(&state) % task->objects;
            uint32_t row = (uint32_t)number + first_row;
            memcpy(place, &row, 4);
            proof->count++;
            proof->sum += number;
        }
        memset(place, 0, 4);
        int key_length = tokyo_key(key, list + first_row);
        tokyo_file_put(file, key, key_length, value, (int)(place + 4 - value));
    }
}

const char *tokyo_insert_playlists(const struct speed_task *task, struct speed_proof *proof) {
    struct speed_proof songs = {0, 0};
    struct file song = tokyo_file_open(task, "Song", task->objects);
    struct file playlist = tokyo_file_open(task, "Playlist", task->objects / 100);
    tokyo_file_put_songs(&song, task->objects, &songs);
    put_playlists(&playlist, task, proof);
    const char *error = tokyo_file_close(&song);
    const char *other = tokyo_file_close(&playlist);
    return error ? error : other;
}

/* What a walk over the playlists does with each. */
struct walk {
    struct file song;
    struct speed_proof *proof;
    uint32_t titles; /* how many of each playlist are wanted */
};

static uint64_t number_of(const unsigned char *title, uint32_t length) {
    uint64_t number = 0;
    for (uint32_t place = sizeof "Test Song " - 1; place < length; place++) {
        number = number * 10 + (title[place] - '0');
    }
    return number;
}

static bool take_titles(
    const void *key, int key_length, const void *value, int length, void *context) {
    (void)key, (void)key_length, (void)length;
    struct walk *walk = context;
    const unsigned char *place = value;
    uint32_t title_length, count;
    memcpy(&title_length, place + 1, 4);
    place += 5 + title_length;
    memcpy(&count, place, 4);
    for (uint32_t position = 0; position < count && position < walk->titles; position++) {
        uint32_t row;
        unsigned char song[64];
        memcpy(&row, place + 4 + 4 * position, 4);
        if (tokyo_file_get(&walk->song, row, song, sizeof song) < 0) return false;
        memcpy(&title_length, song + 1, 4);
        walk->proof->count++;
        walk->proof->sum += number_of(song + 5, title_length);
    }
    return true;
}

static const char *fetch_titles(
    const struct speed_task *task, struct speed_proof *proof, uint32_t titles) {
    struct walk walk = {tokyo_file_open(task, "Song", task->objects), proof, titles};
    struct file playlist = tokyo_file_open(task, "Playlist", task->objects / 100);
    if (!playlist.failed) tchdbforeach(playlist.handle, take_titles, &walk);
    const char *error = tokyo_file_close(&walk.song);
    const char *other = tokyo_file_close(&playlist);
    return error ? error : other;
}

const char *tokyo_fetch_first_titles(const struct speed_task *task, struct speed_proof *proof) {
    return fetch_titles(task, proof, 1);
}

const char *tokyo_fetch_all_titles(const struct speed_task *task, struct speed_proof *proof) {
    return fetch_titles(task, proof, UINT32_MAX);
}
