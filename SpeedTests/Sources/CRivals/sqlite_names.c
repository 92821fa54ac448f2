#include "sqlite_database.h"

#include <stdio.h>
#include <string.h>

/* A buffer holds a title behind its length, and a number: 4 bytes, the text, 4 bytes. */
static int make_buffer(unsigned char *bytes, uint32_t number) {
    uint32_t length = (uint32_t)snprintf((char *)bytes + 4, 32, "Test Song %u", number);
    memcpy(bytes, &length, 4);
    memcpy(bytes + 4 + length, &number, 4);
    return (int)length + 8;
}

const char *sqlite_insert_names(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(
        &database, "CREATE TABLE buffer (name TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID");
    sqlite3_stmt *insert =
        sqlite_database_prepare(&database, "INSERT INTO buffer (name, content) VALUES (?, ?)");
    sqlite_database_run(&database, "BEGIN");
    for (uint32_t number = 0; number < task->objects && !database.failed; number++) {
        char name[32];
        unsigned char bytes[48];
        int length = snprintf(name, sizeof name, "Buffer %u", number);
        sqlite3_bind_text(insert, 1, name, length, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 2, bytes, make_buffer(bytes, number), SQLITE_STATIC);
        sqlite_database_step(&database, insert);
        proof->count++;
        proof->sum += number;
    }
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(insert);
    return sqlite_database_close(&database);
}

const char *sqlite_fetch_names(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = sqlite_database_open(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT content FROM buffer WHERE name = ?");
    for (uint32_t index = 0; index < task->objects; index++) {
        char name[32];
        int length = snprintf(name, sizeof name, "Buffer %u", index);
        sqlite3_bind_text(select, 1, name, length, SQLITE_STATIC);
        if (!sqlite_database_row(&database, select)) break;
        const unsigned char *bytes = sqlite3_column_blob(select, 0);
        uint32_t number;
        memcpy(&number, bytes + sqlite3_column_bytes(select, 0) - 4, 4);
        proof->count++;
        proof->sum += number;
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}
