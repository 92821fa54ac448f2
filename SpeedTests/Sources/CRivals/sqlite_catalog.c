#include "sqlite_database.h"

#include <stdio.h>

/* Songs with a title and a code in random order, and two attributes of ten values each; indexes on
   these. A song's number is its place in the order of insertion. */

static const char schema[] =
    "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, code INTEGER NOT NULL,"
    " artist INTEGER NOT NULL, genre INTEGER NOT NULL, number INTEGER NOT NULL)";
static const char titles_and_codes[] =
    "CREATE INDEX song_title ON song (title); CREATE INDEX song_code ON song (code)";
static const char groups[] =
    "CREATE INDEX song_artist ON song (artist); CREATE INDEX song_genre ON song (genre)";
static const char all_columns[] =
    "SELECT id, title, code, artist, genre, number FROM song WHERE ";

static struct database open_catalog(const struct speed_task *task) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, "PRAGMA cache_size = -262144");
    return database;
}

static const char *insert(
    const struct speed_task *task, struct speed_proof *proof, const char *before,
    const char *after) {
    uint32_t *numbers = speed_shuffled(task->objects, task->seed);
    if (!numbers) return "no memory";
    double start = speed_clock();
    struct database database = open_catalog(task);
    sqlite_database_run(&database, schema);
    sqlite_database_run(&database, before);
    sqlite3_stmt *statement =
        sqlite_database_prepare(&database, "INSERT INTO song VALUES (NULL, ?, ?, ?, ?, ?)");
    sqlite_database_run(&database, "BEGIN");
    uint64_t choices = task->seed;
    for (uint32_t row = 0; row < task->objects && !database.failed; row++) {
        char title[speed_title_length];
        speed_title(title, numbers[row]);
        sqlite3_bind_text(statement, 1, title, sizeof title, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, numbers[row]);
        sqlite3_bind_int64(statement, 3, (int64_t)(speed_next(&choices) % 10));
        sqlite3_bind_int64(statement, 4, (int64_t)(speed_next(&choices) % 10));
        sqlite3_bind_int64(statement, 5, row);
        sqlite_database_step(&database, statement);
        proof->count++;
        proof->sum += row;
    }
    sqlite_database_run(&database, after);
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(statement);
    const char *message = sqlite_database_close(&database);
    proof->seconds = speed_clock() - start;
    free(numbers);
    return message;
}

const char *sqlite_insert_catalog(const struct speed_task *task, struct speed_proof *proof) {
    return insert(task, proof, "", "");
}

const char *sqlite_insert_indexed_catalog(
    const struct speed_task *task, struct speed_proof *proof) {
    return insert(task, proof, titles_and_codes, "");
}

const char *sqlite_insert_catalog_then_index(
    const struct speed_task *task, struct speed_proof *proof) {
    return insert(task, proof, "", titles_and_codes);
}

const char *sqlite_insert_coded_catalog(
    const struct speed_task *task, struct speed_proof *proof) {
    return insert(task, proof, "CREATE INDEX song_code ON song (code)", "");
}

const char *sqlite_insert_grouped_catalog(
    const struct speed_task *task, struct speed_proof *proof) {
    return insert(task, proof, "", groups);
}

static const char *make_index(
    const struct speed_task *task, struct speed_proof *proof, const char *text) {
    double start = speed_clock();
    struct database database = open_catalog(task);
    sqlite_database_run(&database, text);
    const char *message = sqlite_database_close(&database);
    proof->seconds = speed_clock() - start;
    proof->count = 1;
    return message;
}

const char *sqlite_index_titles(const struct speed_task *task, struct speed_proof *proof) {
    return make_index(task, proof, "CREATE INDEX song_title ON song (title)");
}

const char *sqlite_index_codes(const struct speed_task *task, struct speed_proof *proof) {
    return make_index(task, proof, "CREATE INDEX song_code ON song (code)");
}

/* Every column of a row is read, as objects have them all. */
static void add_songs(struct database *database, sqlite3_stmt *select, struct speed_proof *proof) {
    while (sqlite_database_row(database, select)) {
        int64_t fields = sqlite3_column_int64(select, 0) | sqlite3_column_int64(select, 2) |
                         sqlite3_column_int64(select, 3) | sqlite3_column_int64(select, 4);
        proof->count += fields != 0 && sqlite3_column_text(select, 1) != NULL;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 5);
    }
    sqlite3_reset(select);
}

/* Rows begin with 1, numbers with 0. */
static void add_rows(struct database *database, sqlite3_stmt *select, struct speed_proof *proof) {
    while (sqlite_database_row(database, select)) {
        proof->count++;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 0) - 1;
    }
    sqlite3_reset(select);
}

static void add_number(struct database *database, sqlite3_stmt *select, struct speed_proof *proof) {
    if (!sqlite_database_row(database, select)) return;
    proof->count++;
    proof->sum += (uint64_t)sqlite3_column_int64(select, 0);
    sqlite3_reset(select);
}

typedef void (*take)(struct database *, sqlite3_stmt *, struct speed_proof *);
/* Gives the statement the parameters of one step. */
typedef void (*bind)(
    const struct speed_task *, sqlite3_stmt *, uint32_t step, uint64_t *choices,
    const uint32_t *numbers);

static void bind_nothing(
    const struct speed_task *task, sqlite3_stmt *select, uint32_t step, uint64_t *choices,
    const uint32_t *numbers) {
    (void)task, (void)select, (void)step, (void)choices, (void)numbers;
}

static void bind_code(
    const struct speed_task *task, sqlite3_stmt *select, uint32_t step, uint64_t *choices,
    const uint32_t *numbers) {
    (void)step;
    sqlite3_bind_int64(select, 1, numbers[speed_next(choices) % task->objects]);
}

static void bind_range_of(
    uint32_t length, const struct speed_task *task, sqlite3_stmt *select, uint64_t *choices) {
    int64_t first = (int64_t)(speed_next(choices) % (task->objects - length + 1));
    sqlite3_bind_int64(select, 1, first);
    sqlite3_bind_int64(select, 2, first + length);
}

static void bind_range(
    const struct speed_task *task, sqlite3_stmt *select, uint32_t step, uint64_t *choices,
    const uint32_t *numbers) {
    (void)step, (void)numbers;
    uint32_t length = speed_walked_range;
    bind_range_of(length < task->objects ? length : task->objects, task, select, choices);
}

static void bind_large_range(
    const struct speed_task *task, sqlite3_stmt *select, uint32_t step, uint64_t *choices,
    const uint32_t *numbers) {
    (void)step, (void)numbers;
    bind_range_of(task->objects / speed_counted_share, task, select, choices);
}

static void bind_offset(
    const struct speed_task *task, sqlite3_stmt *select, uint32_t step, uint64_t *choices,
    const uint32_t *numbers) {
    (void)choices, (void)numbers;
    sqlite3_bind_int64(select, 1, task->objects / 2 + step);
}

static const char *query(
    const struct speed_task *task, struct speed_proof *proof, const char *columns,
    const char *condition, bind bind, take take) {
    char text[256];
    snprintf(text, sizeof text, "%s%s", columns, condition);
    uint32_t *numbers = speed_shuffled(task->objects, task->seed);
    if (!numbers) return "no memory";
    struct database database = open_catalog(task);
    sqlite3_stmt *select = sqlite_database_prepare(&database, text);
    uint64_t choices = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < (task->steps ? task->steps : 1) && !database.failed; step++) {
        bind(task, select, step, &choices, numbers);
        take(&database, select, proof);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    free(numbers);
    return sqlite_database_close(&database);
}

static const char range[] = "code >= ? AND code < ? ORDER BY code";

const char *sqlite_walk_titles(const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, "SELECT id FROM song ", "ORDER BY title", bind_nothing, add_rows);
}

const char *sqlite_walk_codes(const struct speed_task *task, struct speed_proof *proof) {
    return query(task, proof, "SELECT id FROM song ", "ORDER BY code", bind_nothing, add_rows);
}

const char *sqlite_fetch_coded(const struct speed_task *task, struct speed_proof *proof) {
    return query(task, proof, all_columns, "code = ?", bind_code, add_songs);
}

const char *sqlite_fetch_ranges(const struct speed_task *task, struct speed_proof *proof) {
    return query(task, proof, all_columns, range, bind_range, add_songs);
}

const char *sqlite_fetch_range_rows(const struct speed_task *task, struct speed_proof *proof) {
    return query(task, proof, "SELECT id FROM song WHERE ", range, bind_range, add_rows);
}

const char *sqlite_count_ranges(const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, "SELECT count(*) FROM song WHERE ", "code >= ? AND code < ?",
        bind_large_range, add_number);
}

const char *sqlite_fetch_pages(const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, all_columns, "1 ORDER BY code LIMIT 20 OFFSET ?", bind_offset, add_songs);
}

const char *sqlite_fetch_first_by_title(
    const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, all_columns, "1 ORDER BY title LIMIT 20", bind_nothing, add_songs);
}

const char *sqlite_scan_catalog(const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, "SELECT count(*) FROM song WHERE ", "artist = 3", bind_nothing, add_number);
}

const char *sqlite_intersect_groups(const struct speed_task *task, struct speed_proof *proof) {
    return query(
        task, proof, "SELECT id FROM song WHERE ", "artist = 3 AND genre = 5", bind_nothing,
        add_rows);
}

const char *sqlite_save_codes(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_catalog(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database, "SELECT title, code, artist, genre, number FROM song WHERE id = ?");
    sqlite3_stmt *update =
        sqlite_database_prepare(&database, "UPDATE song SET code = ? WHERE id = ?");
    uint64_t choices = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        int64_t id = 1 + (int64_t)(speed_next(&choices) % task->objects);
        sqlite3_bind_int64(select, 1, id);
        if (!sqlite_database_row(&database, select)) break;
        sqlite3_bind_int64(update, 1, sqlite3_column_int64(select, 1) + task->objects);
        proof->count++;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 4);
        sqlite3_reset(select);
        sqlite3_bind_int64(update, 2, id);
        sqlite_database_step(&database, update);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    sqlite3_finalize(update);
    return sqlite_database_close(&database);
}

const char *sqlite_open_catalog(const struct speed_task *task, struct speed_proof *proof) {
    double start = speed_clock();
    struct database database = open_catalog(task);
    sqlite3_stmt *select =
        sqlite_database_prepare(&database, "SELECT number FROM song WHERE id = 1");
    add_number(&database, select, proof);
    sqlite3_finalize(select);
    const char *message = sqlite_database_close(&database);
    proof->seconds = speed_clock() - start;
    return message;
}
