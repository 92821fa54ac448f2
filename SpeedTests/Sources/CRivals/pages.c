/* For nftw(). */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <zlib.h>

#include "Corpus.h"
#include "CRivals.h"

/* Texts of a directory, such as manual pages: each file is one, without what belongs to the formatter. Only
   letters and digits of ASCII are kept, and stops before a space: so both sides find the same words, though
   FTS5 divides `file_name`, `3.14` and `don't` and Unicode's rules do not. */

static char *corpus_directory;

void speed_use_corpus(const char *directory) {
    free(corpus_directory);
    corpus_directory = directory ? strdup(directory) : NULL;
}

bool speed_uses_corpus(void) { return corpus_directory != NULL; }

/* nftw() gives its callback no context. */
static char **paths;
static size_t path_count, path_room;

static int note_path(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)place;
    if (kind != FTW_F) return 0;
    if (path_count == path_room) {
        size_t room = path_room ? path_room * 2 : 1024;
        char **more = realloc(paths, room * sizeof *more);
        if (!more) return 1;
        paths = more;
        path_room = room;
    }
    return (paths[path_count] = strdup(path)) ? path_count++, 0 : 1;
}

static int by_name(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void forget_paths(void) {
    for (size_t index = 0; index < path_count; index++) free(paths[index]);
    free(paths);
    paths = NULL;
    path_count = path_room = 0;
}

static bool is_alphanumeric(int byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z');
}

/* Appends a line as it is kept: no word is longer than the table of words has room for. */
static uint64_t append_line(char *bytes, uint64_t length, const char *line) {
    if ((line[0] == '.' || line[0] == '\'') && line[1] == '\\') return length; /* a comment */
    if (line[0] == '.' || line[0] == '\'')
        while (*line && *line != ' ' && *line != '\n') line++;
    uint32_t letters = 0;
    for (; *line; line++) {
        if (*line == '\\' && line[1]) {
            line += line[1] == 'f' && line[2] ? 2 : 1;
            continue;
        }
        bool is_stop = strchr(".,;:!?", *line) && (line[1] == ' ' || line[1] == '\n');
        bool is_kept = is_alphanumeric((unsigned char)*line) && letters < speed_longest_word;
        letters = is_kept ? letters + 1 : 0;
        bytes[length++] = is_kept || is_stop || *line == '\n' ? *line : ' ';
    }
    return length;
}

/* Reads one file behind what is there; false: no memory. What cannot be read ends there. */
static bool append_file(
    struct speed_corpus *corpus, uint64_t *length, uint64_t *room, const char *path) {
    gzFile file = gzopen(path, "rb");
    char line[4096];
    while (file && gzgets(file, line, sizeof line)) {
        if (*length + sizeof line > *room) {
            char *more = realloc(corpus->bytes, *room *= 2);
            if (!more) {
                gzclose(file);
                return false;
            }
            corpus->bytes = more;
        }
        *length = append_line(corpus->bytes, *length, line);
    }
    if (file) gzclose(file);
    return true;
}

static struct speed_corpus *read_files(uint32_t count) {
    struct speed_corpus *corpus = calloc(1, sizeof *corpus);
    uint64_t length = 0, room = 1 << 20;
    if (!corpus || nftw(corpus_directory, note_path, 32, FTW_PHYS) != 0) goto fail;
    qsort(paths, path_count, sizeof *paths, by_name);
    if (count > path_count) count = (uint32_t)path_count;
    corpus->bytes = malloc(room);
    corpus->ends = malloc((count + 1) * sizeof *corpus->ends);
    if (!corpus->bytes || !corpus->ends) goto fail;
    for (size_t index = 0; index < count; index++) {
        if (!append_file(corpus, &length, &room, paths[index])) goto fail;
        corpus->ends[corpus->count++] = length;
    }
    forget_paths();
    return corpus;
fail:
    forget_paths();
    speed_corpus_free(corpus);
    return NULL;
}

/* A word, and how often it stands in all texts. */
struct counted {
    char name[speed_longest_word + 1];
    uint32_t number;
    uint64_t times;
};

static int by_frequency(const void *one, const void *other) {
    const struct counted *first = one, *second = other;
    if (first->times != second->times) return first->times < second->times ? 1 : -1;
    return strcmp(first->name, second->name);
}

/* The place of a word in a table of `mask` + 1 places, where its number plus one is, or 0. */
static uint64_t find(
    const uint32_t *table, uint64_t mask, const struct counted *words, const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (const char *letter = name; *letter; letter++)
        hash = (hash ^ (uint8_t)*letter) * 1099511628211u;
    uint64_t place = (hash >> 20) & mask;
    while (table[place] && strcmp(words[table[place] - 1].name, name) != 0)
        place = (place + 1) & mask;
    return place;
}

/* Finds the words of all texts, and ranks them. */
static bool rank_words(struct speed_corpus *corpus) {
    enum { places = 1 << 22 };
    uint64_t end = corpus->count ? corpus->ends[corpus->count - 1] : 0, at = 0;
    uint32_t *table = calloc(places, sizeof *table), *ranks = NULL;
    struct counted *words = malloc(places / 2 * sizeof *words);
    uint64_t total = 0;
    corpus->words = malloc((end / 2 + 1) * sizeof *corpus->words);
    corpus->word_ends = malloc((corpus->count + 1) * sizeof *corpus->word_ends);
    bool is_done = table && words && corpus->words && corpus->word_ends;
    for (uint32_t text = 0; is_done && text < corpus->count; text++) {
        while (at < corpus->ends[text]) {
            char name[speed_longest_word + 1];
            uint32_t letters = 0;
            while (at < corpus->ends[text] && is_alphanumeric((unsigned char)corpus->bytes[at])) {
                char letter = corpus->bytes[at++];
                name[letters++] = letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
            }
            at += letters == 0;
            if (letters == 0) continue;
            name[letters] = 0;
            uint64_t place = find(table, places - 1, words, name);
            if (table[place] == 0) {
                if (corpus->distinct == places / 2) break;
                struct counted *word = &words[corpus->distinct];
                memcpy(word->name, name, sizeof name);
                word->number = corpus->distinct;
                word->times = 0;
                table[place] = ++corpus->distinct;
            }
            words[table[place] - 1].times++;
            corpus->words[total++] = table[place] - 1;
        }
        corpus->word_ends[text] = total;
    }
    if (is_done) {
        qsort(words, corpus->distinct, sizeof *words, by_frequency);
        corpus->names = malloc((corpus->distinct + 1) * sizeof *corpus->names);
        ranks = malloc((corpus->distinct + 1) * sizeof *ranks);
        is_done = corpus->names && ranks;
    }
    for (uint32_t rank = 0; is_done && rank < corpus->distinct; rank++) {
        memcpy(corpus->names[rank], words[rank].name, sizeof words[rank].name);
        ranks[words[rank].number] = rank;
    }
    for (uint64_t index = 0; is_done && index < total; index++)
        corpus->words[index] = ranks[corpus->words[index]];
    free(table);
    free(words);
    free(ranks);
    return is_done;
}

struct speed_corpus *speed_texts(uint32_t count, uint64_t seed) {
    if (!corpus_directory) return speed_titles(count, seed);
    struct speed_corpus *corpus = read_files(count);
    if (corpus && rank_words(corpus)) return corpus;
    speed_corpus_free(corpus);
    return NULL;
}
