#include "sqlite_database.h"

#include <stdio.h>

static char message[256];

static void check(struct database *database, int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW || database->failed) return;
    database->failed = true;
    const char *reason = database->handle ? sqlite3_errmsg(database->handle) : "no memory";
    snprintf(message, sizeof message, "SQLite: %s", reason);
}

struct database sqlite_database_open(const struct speed_task *task) {
    char path[1024];
    struct database database = {NULL, false};
    snprintf(path, sizeof path, "%s/songs.sqlite", task->directory);
    check(&database, sqlite3_open(path, &database.handle));
    sqlite_database_run(&database, "PRAGMA journal_mode = WAL");
    sqlite_database_run(
        &database, task->full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    return database;
}

void sqlite_database_run(struct database *database, const char *text) {
    if (!database->failed) check(database, sqlite3_exec(database->handle, text, NULL, NULL, NULL));
}

sqlite3_stmt *sqlite_database_prepare(struct database *database, const char *text) {
    sqlite3_stmt *statement = NULL;
    if (!database->failed) {
        check(database, sqlite3_prepare_v2(database->handle, text, -1, &statement, NULL));
    }
    return statement;
}

void sqlite_database_step(struct database *database, sqlite3_stmt *statement) {
    if (database->failed) return;
    check(database, sqlite3_step(statement));
    check(database, sqlite3_reset(statement));
}

bool sqlite_database_row(struct database *database, sqlite3_stmt *statement) {
    if (database->failed) return false;
    int code = sqlite3_step(statement);
    check(database, code);
    return code == SQLITE_ROW;
}

const char *sqlite_database_close(struct database *database) {
    check(database, sqlite3_close(database->handle));
    return database->failed ? message : NULL;
}
