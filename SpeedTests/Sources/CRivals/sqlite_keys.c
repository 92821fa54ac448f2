#include "sqlite_database.h"

/* A table of titles with an index on them: the row of each is its place in the order of insertion.
   The queries need the index alone. */

static struct database open_keys(const struct speed_task *task) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, "PRAGMA cache_size = -262144");
    return database;
}

static const char make_index[] = "CREATE INDEX song_title ON song (title)";

static const char *insert_keys(
    const struct speed_task *task, struct speed_proof *proof, bool sorted, bool index_first,
    uint32_t saves) {
    uint32_t *numbers = speed_shuffled(task->objects, task->seed);
    if (!numbers) return "no memory";
    double start = speed_clock();
    struct database database = open_keys(task);
    sqlite_database_run(
        &database, "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL)");
    if (index_first) sqlite_database_run(&database, make_index);
    sqlite3_stmt *insert =
        sqlite_database_prepare(&database, "INSERT INTO song (id, title) VALUES (?, ?)");
    sqlite_database_run(&database, "BEGIN");
    uint32_t limit = task->objects / (saves ? saves : 1), open = 0;
    for (uint32_t row = 0; row < task->objects && !database.failed; row++) {
        char title[speed_title_length];
        speed_title(title, sorted ? row : numbers[row]);
        sqlite3_bind_int64(insert, 1, row);
        sqlite3_bind_text(insert, 2, title, sizeof title, SQLITE_STATIC);
        sqlite_database_step(&database, insert);
        proof->count++;
        proof->sum += row;
        if (++open == limit && row + 1 < task->objects) {
            sqlite_database_run(&database, "COMMIT; BEGIN");
            open = 0;
        }
    }
    if (!index_first) sqlite_database_run(&database, make_index);
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(insert);
    const char *message = sqlite_database_close(&database);
    proof->seconds = speed_clock() - start;
    free(numbers);
    return message;
}

const char *sqlite_insert_keys(const struct speed_task *task, struct speed_proof *proof) {
    return insert_keys(task, proof, false, true, 1);
}

const char *sqlite_insert_keys_then_index(
    const struct speed_task *task, struct speed_proof *proof) {
    return insert_keys(task, proof, false, false, 1);
}

const char *sqlite_insert_sorted_keys(const struct speed_task *task, struct speed_proof *proof) {
    return insert_keys(task, proof, true, true, 1);
}

const char *sqlite_save_keys(const struct speed_task *task, struct speed_proof *proof) {
    return insert_keys(task, proof, false, true, task->steps);
}

const char *sqlite_save_sorted_keys(const struct speed_task *task, struct speed_proof *proof) {
    return insert_keys(task, proof, true, true, task->steps);
}

static void add_rows(struct database *database, sqlite3_stmt *select, struct speed_proof *proof) {
    while (sqlite_database_row(database, select)) {
        proof->count++;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 0);
    }
    sqlite3_reset(select);
}

const char *sqlite_walk_keys(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_keys(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT id FROM song ORDER BY title");
    add_rows(&database, select, proof);
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

static uint32_t begin_of_range(uint64_t *choices, uint32_t objects, uint32_t length) {
    return (uint32_t)(speed_next(choices) % (objects - length + 1));
}

const char *sqlite_walk_key_ranges(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_keys(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database, "SELECT id FROM song WHERE title >= ? AND title < ? ORDER BY title");
    uint64_t choices = task->seed;
    uint32_t length =
        task->objects < speed_walked_range ? task->objects : (uint32_t)speed_walked_range;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        char lower[speed_title_length], upper[speed_title_length];
        uint32_t first = begin_of_range(&choices, task->objects, length);
        speed_title(lower, first);
        speed_title(upper, first + length);
        sqlite3_bind_text(select, 1, lower, sizeof lower, SQLITE_STATIC);
        sqlite3_bind_text(select, 2, upper, sizeof upper, SQLITE_STATIC);
        add_rows(&database, select, proof);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

const char *sqlite_count_key_ranges(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_keys(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database, "SELECT count(*) FROM song WHERE title >= ? AND title < ?");
    uint64_t choices = task->seed;
    uint32_t length = task->objects / speed_counted_share;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps; step++) {
        char lower[speed_title_length], upper[speed_title_length];
        uint32_t first = begin_of_range(&choices, task->objects, length);
        speed_title(lower, first);
        speed_title(upper, first + length);
        sqlite3_bind_text(select, 1, lower, sizeof lower, SQLITE_STATIC);
        sqlite3_bind_text(select, 2, upper, sizeof upper, SQLITE_STATIC);
        if (!sqlite_database_row(&database, select)) break;
        proof->count++;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 0);
        sqlite3_reset(select);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

const char *sqlite_look_up_keys(const struct speed_task *task, struct speed_proof *proof) {
    uint32_t *numbers = speed_shuffled(task->objects, task->seed);
    if (!numbers) return "no memory";
    struct database database = open_keys(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT id FROM song WHERE title = ?");
    uint64_t choices = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps; step++) {
        char title[speed_title_length];
        speed_title(title, numbers[speed_next(&choices) % task->objects]);
        sqlite3_bind_text(select, 1, title, sizeof title, SQLITE_STATIC);
        if (!sqlite_database_row(&database, select)) break;
        proof->count++;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 0);
        sqlite3_reset(select);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    free(numbers);
    return sqlite_database_close(&database);
}
