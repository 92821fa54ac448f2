#include <stdio.h>

#include "sqlite_database.h"

/* The ledger as a careful program would keep it: what Cabinet's classes index is indexed here, too, the
   inverse by an index on what postings belong to, and the texts by FTS5 over the table of entries. */

static const char schema[] =
    "CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, number INTEGER NOT NULL,"
    " date INTEGER NOT NULL, text TEXT NOT NULL);"
    "CREATE TABLE posting (id INTEGER PRIMARY KEY, entry INTEGER NOT NULL REFERENCES entry,"
    " account INTEGER NOT NULL REFERENCES account, date INTEGER NOT NULL,"
    " cents INTEGER NOT NULL);"
    "CREATE UNIQUE INDEX entry_number ON entry (number);"
    "CREATE INDEX entry_date ON entry (date, number);"
    "CREATE INDEX posting_entry ON posting (entry);"
    "CREATE INDEX posting_account ON posting (account, date, cents);"
    "CREATE INDEX posting_date ON posting (date, cents);"
    "CREATE INDEX posting_cents ON posting (cents);"
    "CREATE VIRTUAL TABLE entry_text USING fts5 (text, content = 'entry', content_rowid = 'id',"
    " tokenize = 'unicode61', detail = full)";

static struct database open_ledger(const struct speed_task *task) {
    struct database database = sqlite_database_open(task);
    sqlite_database_run(&database, "PRAGMA cache_size = -262144");
    return database;
}

struct clocks {
    double wall, processor;
};

static struct clocks begin(void) {
    return (struct clocks){speed_clock(), speed_processor_clock()};
}

static void end(struct clocks start, struct speed_proof *proof) {
    proof->seconds = speed_clock() - start.wall;
    proof->processor = speed_processor_clock() - start.processor;
}

static const char *text_of(const struct speed_corpus *corpus, uint32_t number, int *length) {
    uint64_t start = number == 0 ? 0 : corpus->ends[number - 1];
    *length = (int)(corpus->ends[number] - start);
    return corpus->bytes + start;
}

static void insert_accounts(struct database *database) {
    sqlite3_stmt *insert = sqlite_database_prepare(database, "INSERT INTO account VALUES (?, ?)");
    sqlite_database_run(database, "BEGIN");
    for (int account = 0; account < speed_ledger_accounts; account++) {
        char name[32];
        snprintf(name, sizeof name, "Account %d", account);
        sqlite3_bind_int64(insert, 1, account + 1);
        sqlite3_bind_text(insert, 2, name, -1, SQLITE_STATIC);
        sqlite_database_step(database, insert);
    }
    sqlite_database_run(database, "COMMIT");
    sqlite3_finalize(insert);
}

static void insert_posting(
    struct database *database, sqlite3_stmt *insert, sqlite3_int64 entry, uint32_t account,
    int64_t time, int64_t cents) {
    sqlite3_bind_int64(insert, 1, entry);
    sqlite3_bind_int64(insert, 2, account + 1);
    sqlite3_bind_int64(insert, 3, time);
    sqlite3_bind_int64(insert, 4, cents);
    sqlite_database_step(database, insert);
}

const char *sqlite_import_ledger(const struct speed_task *task, struct speed_proof *proof) {
    struct speed_corpus *corpus = speed_texts(task->objects, task->seed);
    if (!corpus) return "no memory";
    struct clocks start = begin();
    struct database database = open_ledger(task);
    sqlite_database_run(&database, schema);
    insert_accounts(&database);
    sqlite3_stmt *entry =
        sqlite_database_prepare(&database, "INSERT INTO entry VALUES (NULL, ?, ?, ?)");
    sqlite3_stmt *text =
        sqlite_database_prepare(&database, "INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
    sqlite3_stmt *posting =
        sqlite_database_prepare(&database, "INSERT INTO posting VALUES (NULL, ?, ?, ?, ?)");
    for (uint32_t number = 0; number < task->objects && !database.failed; number++) {
        if (number % speed_ledger_save == 0) sqlite_database_run(&database, "BEGIN");
        struct speed_booking booking = speed_booking(number, task->objects, task->seed);
        int length;
        const char *words = text_of(corpus, number, &length);
        sqlite3_bind_int64(entry, 1, number);
        sqlite3_bind_int64(entry, 2, booking.time);
        sqlite3_bind_text(entry, 3, words, length, SQLITE_STATIC);
        sqlite_database_step(&database, entry);
        sqlite3_int64 row = sqlite3_last_insert_rowid(database.handle);
        sqlite3_bind_int64(text, 1, row);
        sqlite3_bind_text(text, 2, words, length, SQLITE_STATIC);
        sqlite_database_step(&database, text);
        insert_posting(&database, posting, row, booking.debit, booking.time, booking.cents);
        insert_posting(&database, posting, row, booking.credit, booking.time, -booking.cents);
        proof->count++;
        proof->sum += number;
        if ((number + 1) % speed_ledger_save == 0 || number + 1 == task->objects) {
            sqlite_database_run(&database, "COMMIT");
        }
    }
    sqlite3_finalize(entry);
    sqlite3_finalize(text);
    sqlite3_finalize(posting);
    const char *message = sqlite_database_close(&database);
    end(start, proof);
    speed_corpus_free(corpus);
    return message;
}

const char *sqlite_ledger_balances(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_ledger(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database, "SELECT sum(cents) FROM posting WHERE account = ? AND date <= ?");
    struct clocks start = begin();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        int64_t time = speed_balance_time(step, task->seed);
        for (int account = 1; account <= speed_ledger_accounts; account++) {
            sqlite3_bind_int64(select, 1, account);
            sqlite3_bind_int64(select, 2, time);
            if (sqlite_database_row(&database, select)) {
                proof->count++;
                proof->sum += (uint64_t)(sqlite3_column_int64(select, 0) + speed_ledger_bias);
            }
            sqlite3_reset(select);
        }
    }
    end(start, proof);
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

const char *sqlite_ledger_months(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_ledger(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database,
        "SELECT sum(cents) FROM posting WHERE date >= ? AND date < ? AND cents > 0");
    struct clocks start = begin();
    for (uint32_t month = 0; month < 12 * speed_ledger_years && !database.failed; month++) {
        sqlite3_bind_int64(select, 1, speed_month(month));
        sqlite3_bind_int64(select, 2, speed_month(month + 1));
        if (sqlite_database_row(&database, select)) {
            proof->count++;
            proof->sum += (uint64_t)(sqlite3_column_int64(select, 0) + speed_ledger_bias);
        }
        sqlite3_reset(select);
    }
    end(start, proof);
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

/* Every column of a row is read, as objects have them all. */
static void add_entries(struct database *database, sqlite3_stmt *select, struct speed_proof *proof) {
    while (sqlite_database_row(database, select)) {
        int64_t fields = sqlite3_column_int64(select, 0) | sqlite3_column_int64(select, 2);
        proof->count += fields != 0 && sqlite3_column_text(select, 3) != NULL;
        proof->sum += (uint64_t)sqlite3_column_int64(select, 1);
    }
    sqlite3_reset(select);
}

const char *sqlite_ledger_latest(const struct speed_task *task, struct speed_proof *proof) {
    struct database database = open_ledger(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database,
        "SELECT id, number, date, text FROM entry ORDER BY date DESC, number DESC LIMIT ?");
    struct clocks start = begin();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        sqlite3_bind_int64(select, 1, speed_ledger_page);
        add_entries(&database, select, proof);
    }
    end(start, proof);
    sqlite3_finalize(select);
    return sqlite_database_close(&database);
}

const char *sqlite_ledger_search(const struct speed_task *task, struct speed_proof *proof) {
    struct speed_corpus *corpus = speed_texts(task->objects, task->seed);
    if (!corpus) return "no memory";
    struct database database = open_ledger(task);
    sqlite3_stmt *select = sqlite_database_prepare(
        &database,
        "SELECT id, number, date, entry.text FROM entry_text"
        " JOIN entry ON entry.id = entry_text.rowid WHERE entry_text MATCH ?");
    struct clocks start = begin();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        char wanted[speed_search_room], query[speed_search_room + 8];
        uint32_t ranks[2];
        speed_search_text(corpus, speed_search_word, step, wanted, ranks);
        snprintf(query, sizeof query, "\"%s\"", wanted);
        sqlite3_bind_text(select, 1, query, -1, SQLITE_STATIC);
        add_entries(&database, select, proof);
    }
    end(start, proof);
    sqlite3_finalize(select);
    speed_corpus_free(corpus);
    return sqlite_database_close(&database);
}

/* An entry chosen at random gets the text of another one, and its postings an amount that is higher by a
   cent. */
const char *sqlite_edit_ledger(const struct speed_task *task, struct speed_proof *proof) {
    struct speed_corpus *corpus = speed_texts(task->objects, task->seed);
    if (!corpus) return "no memory";
    struct database database = open_ledger(task);
    sqlite3_stmt *forget = sqlite_database_prepare(
        &database,
        "INSERT INTO entry_text (entry_text, rowid, text)"
        " SELECT 'delete', id, text FROM entry WHERE id = ?");
    sqlite3_stmt *learn =
        sqlite_database_prepare(&database, "INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
    sqlite3_stmt *entry =
        sqlite_database_prepare(&database, "UPDATE entry SET text = ? WHERE id = ?");
    sqlite3_stmt *posting = sqlite_database_prepare(
        &database,
        "UPDATE posting SET cents = CASE WHEN cents > 0 THEN cents + 1 ELSE cents - 1 END"
        " WHERE entry = ?");
    uint64_t state = task->seed;
    struct clocks start = begin();
    for (uint32_t step = 0; step < task->steps && !database.failed; step++) {
        uint32_t number = (uint32_t)(speed_next(&state) % task->objects);
        int length;
        const char *words =
            text_of(corpus, (uint32_t)(speed_next(&state) % task->objects), &length);
        sqlite_database_run(&database, "BEGIN");
        sqlite3_bind_int64(forget, 1, number + 1);
        sqlite_database_step(&database, forget);
        sqlite3_bind_text(entry, 1, words, length, SQLITE_STATIC);
        sqlite3_bind_int64(entry, 2, number + 1);
        sqlite_database_step(&database, entry);
        sqlite3_bind_int64(learn, 1, number + 1);
        sqlite3_bind_text(learn, 2, words, length, SQLITE_STATIC);
        sqlite_database_step(&database, learn);
        sqlite3_bind_int64(posting, 1, number + 1);
        sqlite_database_step(&database, posting);
        sqlite_database_run(&database, "COMMIT");
        proof->count++;
        proof->sum += number;
    }
    end(start, proof);
    sqlite3_finalize(forget);
    sqlite3_finalize(learn);
    sqlite3_finalize(entry);
    sqlite3_finalize(posting);
    speed_corpus_free(corpus);
    return sqlite_database_close(&database);
}
