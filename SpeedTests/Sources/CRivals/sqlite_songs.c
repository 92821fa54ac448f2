#include "sqlite_database.h"

#include <stdio.h>
#include <stdlib.h>

static const char schema[] =
    "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, number INTEGER NOT NULL)";

const char *sqlite_insert_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, schema);
    sqlite3_stmt *insert = sqlite_database_prepare(
        &database, "INSERT INTO song (id, title, number) VALUES (NULL, ?, ?)");
    sqlite_database_run(&database, "BEGIN");
    for (uint32_t number = 0; number < task->objects && !database.failed; number++) {
        char title[32];
        int length = snprintf(title, sizeof title, "Test Song %u", number);
        sqlite3_bind_text(insert, 1, title, length, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, number);
        sqlite_database_step(&database, insert);
        proof->count++;
        proof->sum += number;
    }
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(insert);
    return sqlite_database_close(&database);
}

const char *sqlite_fetch_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select = sqlite_database_prepare(&database, "SELECT id, title, number FROM song");
    while (sqlite_database_row(&database, select)) {
        proof->count += sqlite3_column_int64(select, 0) != 0 && sqlite3_column_text(select, 1);
        proof->sum += (uint64_t)sqlite3_column_int64(select, 2);
    }
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

/* Every song is read, then every song is written: as a program does whose rules are not SQL. */
const char *sqlite_update_songs(const struct speed_task *task, struct speed_proof *proof) {
    struct song { int64_t id, number; } *songs = malloc(task->objects * sizeof *songs);
    if (!songs) return "no memory";
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select = sqlite_database_prepare(&database, "SELECT id, title, number FROM song");
    uint32_t found = 0;
    while (found < task->objects && sqlite_database_row(&database, select)) {
        songs[found].id = sqlite3_column_int64(select, 0);
        songs[found].number = sqlite3_column_int64(select, 2);
        found += sqlite3_column_text(select, 1) != NULL;
    }
    sqlite3_finalize(select);
    sqlite3_stmt *update =
        sqlite_database_prepare(&database, "UPDATE song SET number = ? WHERE id = ?");
    sqlite_database_run(&database, "BEGIN");
    for (uint32_t index = 0; index < found && !database.failed; index++) {
        sqlite3_bind_int64(update, 1, songs[index].number + 1);
        sqlite3_bind_int64(update, 2, songs[index].id);
        sqlite_database_step(&database, update);
        proof->count++;
        proof->sum += (uint64_t)songs[index].number + 1;
    }
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(update);
    free(songs);
    return sqlite_database_close(&database);
}

const char *sqlite_save_small(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT title, number FROM song WHERE id = ?");
    sqlite3_stmt *update =
        sqlite_database_prepare(&database, "UPDATE song SET number = ? WHERE id = ?");
    uint64_t state = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps; step++) {
        int64_t id = 1 + (int64_t)(speed_next(&state) % task->objects);
        sqlite3_bind_int64(select, 1, id);
        if (!sqlite_database_row(&database, select)) break;
        int64_t number = sqlite3_column_int64(select, 1) + 1;
        sqlite3_reset(select);
        sqlite3_bind_int64(update, 1, number);
        sqlite3_bind_int64(update, 2, id);
        sqlite_database_step(&database, update);
        proof->count++;
        proof->sum += (uint64_t)number;
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    sqlite3_finalize(update);
    return sqlite_database_close(&database);
}

const char *sqlite_fetch_random(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT title, number FROM song WHERE id = ?");
    uint64_t state = task->seed;
    for (uint32_t step = 0; step < task->steps; step++) {
        sqlite3_bind_int64(select, 1, 1 + (int64_t)(speed_next(&state) % task->objects));
        if (!sqlite_database_row(&database, select)) break;
        proof->count += sqlite3_column_text(select, 0) != NULL;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 1);
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

/* Opening alone reads nothing: the first row shows that the database is there. */
const char *sqlite_open_store(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT title, number FROM song WHERE id = 1");
    if (sqlite_database_row(&database, select)) {
        proof->count = 1;
        proof->sum = (uint64_t)sqlite3_column_int64(select, 1);
    }
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}
