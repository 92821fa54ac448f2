#include <stdio.h>

#include "Corpus.h"
#include "sqlite_database.h"

/* Texts in a table of FTS5, which holds them too; `detail` and `automerge` are as they come. */

static struct database open_texts(const struct speed_task *task) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, "PRAGMA cache_size = -262144");
    return database;
}

static const char *insert_texts(
    const struct speed_task *task, struct speed_proof *proof, struct speed_corpus *corpus,
    const char *schema) {
    if (!corpus) return "no memory";
    double begin = speed_clock();
    struct database database = open_texts(task);
    sqlite_database_run(&database, schema);
    sqlite3_stmt *insert =
        sqlite_database_prepare(&database, "INSERT INTO song (rowid, title) VALUES (?, ?)");
    sqlite_database_run(&database, "BEGIN");
    uint64_t start = 0;
    for (uint32_t row = 0; row < corpus->count && !database.failed; row++) {
        uint64_t end = corpus->ends[row];
        sqlite3_bind_int64(insert, 1, row);
        sqlite3_bind_text(
            insert, 2, corpus->bytes + start, (int)(end - start), SQLITE_STATIC);
        sqlite_database_step(&database, insert);
        proof->count++;
        proof->sum += row;
        start = end;
    }
    sqlite_database_run(&database, "COMMIT");
    sqlite3_finalize(insert);
    const char *message = sqlite_database_close(&database);
    proof->seconds = speed_clock() - begin;
    speed_corpus_free(corpus);
    return message;
}

static const char words[] =
    "CREATE VIRTUAL TABLE song USING fts5 (title, tokenize = 'unicode61', detail = full)";
static const char trigrams[] =
    "CREATE VIRTUAL TABLE song USING fts5 (title, tokenize = 'trigram', detail = full)";

const char *sqlite_insert_title_words(const struct speed_task *task, struct speed_proof *proof) {
    return insert_texts(task, proof, speed_texts(task->objects, task->seed), words);
}

const char *sqlite_insert_title_parts(const struct speed_task *task, struct speed_proof *proof) {
    return insert_texts(task, proof, speed_texts(task->objects, task->seed), trigrams);
}

const char *sqlite_insert_titles_alone(const struct speed_task *task, struct speed_proof *proof) {
    return insert_texts(
        task, proof, speed_texts(task->objects, task->seed),
        "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL)");
}

const char *sqlite_insert_manual(const struct speed_task *task, struct speed_proof *proof) {
    return insert_texts(task, proof, speed_manual(task->objects), words);
}

static const char *search_texts(
    const struct speed_task *task, struct speed_proof *proof, enum speed_search search,
    const char *text) {
    struct speed_corpus *corpus = speed_texts(task->objects, task->seed);
    if (!corpus) return "no memory";
    struct database database = open_texts(task);
    sqlite3_stmt *select = sqlite_database_prepare(&database, text);
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        char wanted[speed_search_room], query[speed_search_room + 8];
        uint32_t ranks[2];
        speed_search_text(corpus, search, step, wanted, ranks);
        snprintf(query, sizeof query, "\"%s\"", wanted);
        sqlite3_bind_text(select, 1, query, -1, SQLITE_STATIC);
        while (sqlite_database_row(&database, select)) {
            proof->count++;
            if (search != speed_search_frequent)
                proof->sum += (uint64_t)sqlite3_column_int64(select, 0);
        }
        sqlite3_reset(select);
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(select);
    speed_corpus_free(corpus);
    return sqlite_database_close(&database);
}

static const char rows[] = "SELECT rowid FROM song WHERE song MATCH ?";
static const char best[] = "SELECT rowid FROM song WHERE song MATCH ? ORDER BY rank LIMIT 20";
static const char ranked[] = "SELECT rowid FROM song WHERE song MATCH ? ORDER BY rank";

const char *sqlite_search_word(const struct speed_task *task, struct speed_proof *proof) {
    return search_texts(task, proof, speed_search_word, rows);
}

const char *sqlite_search_word_ranked(const struct speed_task *task, struct speed_proof *proof) {
    return search_texts(task, proof, speed_search_word, ranked);
}

const char *sqlite_search_best(const struct speed_task *task, struct speed_proof *proof) {
    return search_texts(task, proof, speed_search_frequent, best);
}

const char *sqlite_search_phrase(const struct speed_task *task, struct speed_proof *proof) {
    return search_texts(task, proof, speed_search_phrase, rows);
}

const char *sqlite_search_part(const struct speed_task *task, struct speed_proof *proof) {
    return search_texts(task, proof, speed_search_substring, rows);
}

/* A title in turn gets that of a row chosen at random. */
static const char *save_titles(
    const struct speed_task *task, struct speed_proof *proof, const char *update_text) {
    struct speed_corpus *corpus = speed_texts(task->objects, task->seed);
    if (!corpus) return "no memory";
    struct database database = open_texts(task);
    sqlite3_stmt *update = sqlite_database_prepare(&database, update_text);
    uint64_t state = task->seed;
    double start = speed_clock();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        uint32_t row = (uint32_t)(speed_next(&state) % task->objects);
        uint32_t other = (uint32_t)(speed_next(&state) % task->objects);
        uint64_t begin = other == 0 ? 0 : corpus->ends[other - 1];
        sqlite3_bind_text(
            update, 1, corpus->bytes + begin, (int)(corpus->ends[other] - begin), SQLITE_STATIC);
        sqlite3_bind_int64(update, 2, row);
        sqlite_database_step(&database, update);
        proof->count++;
        proof->sum += row;
    }
    proof->seconds = speed_clock() - start;
    sqlite3_finalize(update);
    speed_corpus_free(corpus);
    return sqlite_database_close(&database);
}

const char *sqlite_save_title_words(const struct speed_task *task, struct speed_proof *proof) {
    return save_titles(task, proof, "UPDATE song SET title = ? WHERE rowid = ?");
}

const char *sqlite_save_titles_alone(const struct speed_task *task, struct speed_proof *proof) {
    return save_titles(task, proof, "UPDATE song SET title = ? WHERE id = ?");
}
