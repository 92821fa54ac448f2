#include "Corpus.h"

#include <stdio.h>

#include "CRivals.h"

void speed_corpus_free(struct speed_corpus *corpus) {
    if (!corpus) return;
    free(corpus->bytes);
    free(corpus->ends);
    free(corpus->words);
    free(corpus->word_ends);
    free(corpus->names);
    free(corpus);
}

static uint32_t below(uint64_t *state, uint32_t limit) {
    return (uint32_t)(speed_next(state) % limit);
}

/* A word that can be spoken: consonants and vowels take turns. The frequent letters of English
   stand more than once among the choices. */
static void make_word(char *word, uint64_t *state) {
    static const char consonants[] = "bbccdddfffgghhhjkklllllmmmnnnnnnpprrrrrrsssssstttttttvwxyz";
    static const char vowels[] = "aaaaaaeeeeeeeeeiiiiiioooooouuu";
    static const char lengths[] = {3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7,
                                   7, 7, 7, 8, 8, 8, 9, 9, 10, 11, 12};
    int length = lengths[below(state, sizeof lengths)];
    int is_vowel = below(state, 3) == 0;
    memset(word, 0, speed_longest_word + 1);
    for (int place = 0; place < length; place++) {
        word[place] = is_vowel ? vowels[below(state, sizeof vowels - 1)]
                               : consonants[below(state, sizeof consonants - 1)];
        is_vowel = below(state, 6) == 0 ? is_vowel : !is_vowel;
    }
}

/* The words of all ranks; a table of places tells which there are already. */
static int make_words(struct speed_corpus *corpus, uint64_t *state) {
    enum { slots = 1 << 18 };
    uint32_t *table = calloc(slots, sizeof *table);
    corpus->names = malloc(speed_distinct_words * sizeof *corpus->names);
    if (!table || !corpus->names) {
        free(table);
        return 0;
    }
    for (uint32_t rank = 0; rank < speed_distinct_words;) {
        char *word = corpus->names[rank];
        make_word(word, state);
        uint64_t hash = 14695981039346656037u;
        for (const char *letter = word; *letter; letter++)
            hash = (hash ^ (uint8_t)*letter) * 1099511628211u;
        uint32_t slot = (uint32_t)(hash >> 20) & (slots - 1);
        while (table[slot] && strcmp(corpus->names[table[slot] - 1], word) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) table[slot] = ++rank;
    }
    free(table);
    return 1;
}

static void make_titles(
    struct speed_corpus *corpus, uint32_t count, const double *shares, uint64_t *state) {
    uint64_t byte = 0, place = 0;
    for (uint32_t title = 0; title < count; title++) {
        uint32_t words = 2 + below(state, speed_most_words - 1);
        for (uint32_t word = 0; word < words; word++) {
            double wanted =
                (double)(speed_next(state) >> 11) * 0x1p-53 * shares[speed_distinct_words - 1];
            uint32_t lower = 0, upper = speed_distinct_words - 1;
            while (lower < upper) {
                uint32_t middle = (lower + upper) / 2;
                if (shares[middle] <= wanted) lower = middle + 1;
                else upper = middle;
            }
            corpus->words[place++] = lower;
            if (word > 0) corpus->bytes[byte++] = ' ';
            size_t length = strlen(corpus->names[lower]);
            memcpy(corpus->bytes + byte, corpus->names[lower], length);
            if (word == 0) corpus->bytes[byte] = (char)(corpus->bytes[byte] - 'a' + 'A');
            byte += length;
        }
        corpus->ends[title] = byte;
        corpus->word_ends[title] = place;
    }
    corpus->count = count;
    corpus->distinct = speed_distinct_words;
}

struct speed_corpus *speed_titles(uint32_t count, uint64_t seed) {
    struct speed_corpus *corpus = calloc(1, sizeof *corpus);
    double *shares = malloc(speed_distinct_words * sizeof *shares);
    if (!corpus || !shares || !make_words(corpus, &seed)) goto fail;
    double sum = 0;
    for (uint32_t rank = 0; rank < speed_distinct_words; rank++)
        shares[rank] = sum += 1.0 / (rank + 1);
    size_t room = (size_t)count + 1, most = room * speed_most_words;
    corpus->bytes = malloc(most * (speed_longest_title_word + 1));
    corpus->ends = malloc(room * sizeof *corpus->ends);
    corpus->words = malloc(most * sizeof *corpus->words);
    corpus->word_ends = malloc(room * sizeof *corpus->word_ends);
    if (!corpus->bytes || !corpus->ends || !corpus->words || !corpus->word_ends) goto fail;
    make_titles(corpus, count, shares, &seed);
    free(shares);
    return corpus;
fail:
    free(shares);
    speed_corpus_free(corpus);
    return NULL;
}

struct speed_corpus *speed_manual(uint32_t count) {
    struct speed_corpus *corpus = calloc(1, sizeof *corpus);
    if (!corpus) return NULL;
    FILE *pages = popen(
        "find /usr/share/man/man? -type f -name '*.gz' 2>/dev/null | LC_ALL=C sort | "
        "xargs -r gzip -dc 2>/dev/null", "r");
    if (!pages) return corpus;
    uint64_t room = 1 << 20, length = 0, begin = 0;
    uint32_t texts_room = 1 << 10;
    corpus->bytes = malloc(room);
    corpus->ends = malloc(texts_room * sizeof *corpus->ends);
    char line[4096];
    while (corpus->bytes && corpus->ends && corpus->count < count) {
        bool goes_on = fgets(line, sizeof line, pages) != NULL;
        bool is_heading = !goes_on || strncmp(line, ".SH", 3) == 0 || strncmp(line, ".TH", 3) == 0;
        if (is_heading && length > begin) {
            if (corpus->count == texts_room) {
                texts_room *= 2;
                corpus->ends = realloc(corpus->ends, texts_room * sizeof *corpus->ends);
                if (!corpus->ends) break;
            }
            corpus->ends[corpus->count++] = begin = length;
        }
        if (!goes_on) break;
        size_t more = strlen(line);
        if (length + more > room) corpus->bytes = realloc(corpus->bytes, room *= 2);
        if (!corpus->bytes) break;
        /* Requests of the formatter are no text, and comments neither. */
        if (line[0] == '\'' || (line[0] == '.' && line[1] == '\\')) continue;
        memcpy(corpus->bytes + length, line, more);
        length += more;
    }
    pclose(pages);
    if (corpus->bytes && corpus->ends) return corpus;
    speed_corpus_free(corpus);
    return NULL;
}

void speed_search_text(
    const struct speed_corpus *corpus, enum speed_search search, uint32_t step, char *text,
    uint32_t ranks[2]) {
    uint64_t state = 2010 + 97 * (uint64_t)step + (uint64_t)search;
    switch (search) {
    case speed_search_word:
        ranks[0] = (460 + below(&state, 30)) % corpus->distinct;
        strcpy(text, corpus->names[ranks[0]]);
        break;
    case speed_search_frequent:
        ranks[0] = below(&state, 3) % corpus->distinct;
        strcpy(text, corpus->names[ranks[0]]);
        break;
    case speed_search_phrase:
        ranks[0] = (5 + below(&state, 45)) % corpus->distinct;
        ranks[1] = (5 + below(&state, 45)) % corpus->distinct;
        snprintf(text, speed_search_room, "%s %s", corpus->names[ranks[0]], corpus->names[ranks[1]]);
        break;
    case speed_search_substring: {
        size_t length = 0;
        const char *word = NULL;
        for (int tries = 0; length < 8 && tries < 10000; tries++) {
            word = corpus->names[(300 + below(&state, 3000)) % corpus->distinct];
            length = strlen(word);
        }
        if (length < 8) word = "shortest", length = 8;
        uint32_t part = 4 + below(&state, 3);
        uint32_t start = 1 + below(&state, (uint32_t)length - part - 1);
        memcpy(text, word + start, part);
        text[part] = 0;
        break;
    }
    }
}
