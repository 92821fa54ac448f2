#include <pthread.h>
#include <stdio.h>

#include "CRivals.h"
#include "sqlite_database.h"

/* One connection of its own, that saves one row again and again. */
struct writer {
    pthread_t thread;
    const char *path;
    int number;
    int saves;
    const char *failure;
};

static void *save(void *argument) {
    struct writer *writer = argument;
    sqlite3 *database = NULL;
    sqlite3_stmt *update = NULL;
    if (sqlite3_open(writer->path, &database) != SQLITE_OK ||
        sqlite3_busy_timeout(database, 60000) != SQLITE_OK ||
        sqlite3_exec(database, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(
            database, "UPDATE song SET number = number + 1 WHERE id = ?", -1, &update, NULL) !=
            SQLITE_OK)
        writer->failure = "a connection could not be opened";
    for (int i = 0; i < writer->saves && writer->failure == NULL; i++) {
        sqlite3_bind_int(update, 1, writer->number);
        if (sqlite3_step(update) != SQLITE_DONE) writer->failure = "an update has failed";
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    sqlite3_close(database);
    return NULL;
}

const char *speed_sqlite_shared_prepare(const char *path, int rows) {
    sqlite3 *database = NULL;
    char *message = NULL;
    if (sqlite3_open(path, &database) != SQLITE_OK) return "the database could not be opened";
    sqlite3_exec(database,
                 "PRAGMA journal_mode = WAL;"
                 "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, number INTEGER)",
                 NULL, NULL, &message);
    for (int row = 1; row <= rows && message == NULL; row++) {
        char text[100];
        snprintf(text, sizeof text, "INSERT INTO song VALUES (%d, 'Test Song %d', 0)", row, row);
        sqlite3_exec(database, text, NULL, NULL, &message);
    }
    sqlite3_close(database);
    return message == NULL ? NULL : "the table could not be filled";
}

const char *speed_sqlite_shared_save(const char *path, int connections, int saves) {
    struct writer writers[64];
    for (int i = 0; i < connections; i++) {
        writers[i] = (struct writer){.path = path, .number = i + 1, .saves = saves};
        pthread_create(&writers[i].thread, NULL, save, &writers[i]);
    }
    const char *failure = NULL;
    for (int i = 0; i < connections; i++) {
        pthread_join(writers[i].thread, NULL);
        if (writers[i].failure != NULL) failure = writers[i].failure;
    }
    return failure;
}
