#ifndef SPEED_SQLITE_DATABASE_H
#define SPEED_SQLITE_DATABASE_H

#include "../CSQLiteLibrary/shim.h"
#include "CRivals.h"

/* An open database, and the first thing that went wrong with it. Every call does nothing once
   something has. */
struct database {
    sqlite3 *handle;
    bool failed;
};

/* Opens the task's database as a careful program would: write-ahead log, default page cache, and
   FULL where a power cut may lose nothing, NORMAL elsewhere. */
struct database sqlite_database_open(const struct speed_task *task);

/* Runs statements that give no rows. */
void sqlite_database_run(struct database *database, const char *text);

sqlite3_stmt *sqlite_database_prepare(struct database *database, const char *text);

/* Runs a prepared statement that gives no rows, and readies it for the next time. */
void sqlite_database_step(struct database *database, sqlite3_stmt *statement);

/* Whether there is a next row. */
bool sqlite_database_row(struct database *database, sqlite3_stmt *statement);

/* Closes the database, which checkpoints it. NULL, or what went wrong since it was opened. */
const char *sqlite_database_close(struct database *database);

#endif
