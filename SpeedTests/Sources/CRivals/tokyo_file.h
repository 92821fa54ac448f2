#ifndef SPEED_TOKYO_FILE_H
#define SPEED_TOKYO_FILE_H

#include "../CTokyoLibrary/shim.h"
#include "CRivals.h"

/* A hash file, and whether something went wrong with it. */
struct file {
    TCHDB *handle;
    bool failed;
};

/* The row of the first record, as in Cabinet. */
enum { first_row = 2 };

/* Opens `name`, tuned as Cabinet tunes it: buckets twice the number of
   `records`, records at multiples of 16 bytes, mapped whole. Sees that the
   library's yields are suppressed for this side as they are for ours. */
struct file tokyo_file_open(const struct speed_task *task, const char *name, uint32_t records);

/* Writes the decimal digits of `row`; their number. */
int tokyo_key(char *key, uint32_t row);

/* Writes a song's value: version, title behind its length, number, 4 bytes for a checksum. Its
   length; the number stands 8 bytes before the end. */
int tokyo_song(unsigned char *value, uint32_t number);

void tokyo_file_put(
    struct file *file, const char *key, int key_length, const void *value, int length);

/* Copies the value of `row` to `value`; its length, or -1. */
int tokyo_file_get(struct file *file, uint32_t row, void *value, int room);

/* Inserts the task's songs. */
void tokyo_file_put_songs(struct file *file, uint32_t songs, struct speed_proof *proof);

/* The number in a song's value, which is `length` bytes long. */
uint32_t tokyo_number(const unsigned char *value, int length);

/* Closes the file. NULL, or what went wrong since it was opened. */
const char *tokyo_file_close(struct file *file);

#endif
