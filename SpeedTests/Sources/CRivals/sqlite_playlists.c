#include "sqlite_database.h"

#include <stdio.h>

static const char schema[] =
    "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, number INTEGER NOT NULL);"
    "CREATE TABLE playlist (id INTEGER PRIMARY KEY, title TEXT NOT NULL);"
    "CREATE TABLE entry (playlist INTEGER NOT NULL, position INTEGER NOT NULL,"
    " song INTEGER NOT NULL, PRIMARY KEY (playlist, position)) WITHOUT ROWID";

static void insert_songs(struct database *database, uint32_t songs) {
    sqlite3_stmt *insert = sqlite_database_prepare(
        database, "INSERT INTO song (id, title, number) VALUES (NULL, ?, ?)");
    for (uint32_t number = 0; number < songs && !database->failed; number++) {
        char title[32];
        int length = snprintf(title, sizeof title, "Test Song %u", number);
        sqlite3_bind_text(insert, 1, title, length, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, number);
        sqlite_database_step(database, insert);
    }
    sqlite3_finalize(insert);
}

static void insert_entries(
    struct database *database, const struct speed_task *task, struct speed_proof *proof) {
    sqlite3_stmt *playlist = sqlite_database_prepare(
        database, "INSERT INTO playlist (id, title) VALUES (NULL, ?)");
    sqlite3_stmt *entry = sqlite_database_prepare(
        database, "INSERT INTO entry (playlist, position, song) VALUES (?, ?, ?)");
    uint64_t state = task->seed;
    for (uint32_t list = 0; list < task->objects / 100 && !database->failed; list++) {
        char title[32];
        int length = snprintf(title, sizeof title, "Playlist %u", list);
        sqlite3_bind_text(playlist, 1, title, length, SQLITE_STATIC);
        sqlite_database_step(database, playlist);
        sqlite3_bind_int64(entry, 1, sqlite3_last_insert_rowid(database->handle));
        for (int position = 0; position < speed_playlist_length; position++) {
            uint64_t number = speed_next(&state) % task->objects;
            sqlite3_bind_int64(entry, 2, position);
            sqlite3_bind_int64(entry, 3, (int64_t)number + 1);
            sqlite_database_step(database, entry);
            proof->count++;
            proof->sum += number;
        }
    }
    sqlite3_finalize(playlist);
    sqlite3_finalize(entry);
}

const char *sqlite_insert_playlists(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, schema);
    sqlite_database_run(&database, "BEGIN");
    insert_songs(&database, task->objects);
    insert_entries(&database, task, proof);
    sqlite_database_run(&database, "COMMIT");
    return sqlite_database_close(&database);
}

/* The number at the end of a title. */
static uint64_t number_of(const unsigned char *title) {
    uint64_t number = 0;
    for (title += sizeof "Test Song " - 1; *title; title++) number = number * 10 + (*title - '0');
    return number;
}

/* Walks the playlists, and for each of them the rows that `entries` finds. */
static const char *fetch_titles(
    const struct speed_task *task, struct speed_proof *proof, const char *entries) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *playlists = sqlite_database_prepare(&database, "SELECT id, title FROM playlist");
    sqlite3_stmt *titles = sqlite_database_prepare(&database, entries);
    while (sqlite_database_row(&database, playlists)) {
        sqlite3_bind_int64(titles, 1, sqlite3_column_int64(playlists, 0));
        while (sqlite_database_row(&database, titles)) {
            proof->count++;
            proof->sum += number_of(sqlite3_column_text(titles, 0));
        }
        sqlite3_reset(titles);
    }
    sqlite3_finalize(playlists);
    sqlite3_finalize(titles);
    return sqlite_database_close(&database);
}

const char *sqlite_fetch_first_titles(const struct speed_task *task, struct speed_proof *proof) {
    return fetch_titles(
        task, proof,
        "SELECT song.title FROM entry JOIN song ON song.id = entry.song"
        " WHERE entry.playlist = ? AND entry.position = 0");
}

const char *sqlite_fetch_all_titles(const struct speed_task *task, struct speed_proof *proof) {
    return fetch_titles(
        task, proof,
        "SELECT song.title FROM entry JOIN song ON song.id = entry.song"
        " WHERE entry.playlist = ? ORDER BY entry.position");
}
