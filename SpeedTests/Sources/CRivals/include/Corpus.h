#ifndef SPEED_CORPUS_H
#define SPEED_CORPUS_H

#include <stdbool.h>
#include <stdint.h>

/* How many words titles are made of, and how long the longest is. */
enum { speed_distinct_words = 100000, speed_longest_title_word = 12, speed_most_words = 6 };

/* The longest word of any text. */
enum { speed_longest_word = 31 };

/* Texts that engines index. */
struct speed_corpus {
    uint32_t count;          /* how many texts there are */
    char *bytes;             /* all texts, one after the other */
    uint64_t *ends;          /* where in `bytes` each text ends */
    uint32_t *words;         /* ranks of the words, from 0 on, the most frequent first; no sections */
    uint64_t *word_ends;     /* where in `words` each text's end */
    char (*names)[speed_longest_word + 1]; /* the word of each rank, 0 behind it */
    uint32_t distinct;       /* how many ranks there are */
};

/* `count` titles of 2 to 6 words, 4 on average, each chosen by Zipf's law (the word of rank r in
   proportion to 1 / r) among 100,000 distinct ones of 3 to 12 letters: the same for the same
   seed. NULL: no memory. */
struct speed_corpus *speed_titles(uint32_t count, uint64_t seed);

/* At most `count` sections of the system's manual pages in English, in the order of the files'
   names. There are none if the system has no manual. NULL: no memory. */
struct speed_corpus *speed_manual(uint32_t count);

/* From now on texts are the files below a directory, also compressed ones (`.gz`), in the order of their
   paths. NULL: titles. */
void speed_use_corpus(const char *directory);
bool speed_uses_corpus(void);

/* At most `count` files of the directory, or `count` titles. NULL: no memory, or no such directory. */
struct speed_corpus *speed_texts(uint32_t count, uint64_t seed);

void speed_corpus_free(struct speed_corpus *corpus);

/* What searches look for. */
enum speed_search {
    speed_search_word,      /* a word that about 700 of a million titles have */
    speed_search_frequent,  /* one of the three words that more than 100,000 of a million have */
    speed_search_phrase,    /* two frequent words, one behind the other */
    speed_search_substring, /* four to six letters within a word */
};

/* How many bytes of memory what is looked for takes, at most. */
enum { speed_search_room = 2 * speed_longest_word + 2 };

/* What the search number `step` looks for; `text` holds `speed_search_room` bytes, and ends with 0. `ranks`
   gets the ranks of the words of a phrase, and of a word the first. */
void speed_search_text(
    const struct speed_corpus *corpus, enum speed_search search, uint32_t step, char *text,
    uint32_t ranks[2]);

#endif
