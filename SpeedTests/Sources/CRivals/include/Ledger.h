#ifndef SPEED_LEDGER_H
#define SPEED_LEDGER_H

#include <stdint.h>

/* A bookkeeper's ledger: an entry has a number, a day and a text, and two postings, one for each account
   that it moves money between. Entries come in the order of their days, over five years. */
enum {
    speed_ledger_accounts = 45,
    speed_ledger_years = 5,
    speed_ledger_days = 1826,
    speed_ledger_save = 2000, /* entries to a save of the import */
    speed_ledger_page = 50,   /* entries to a page of the latest */
};

/* 2020-01-01 00:00 UTC in seconds since 1970; and a day. */
static const int64_t speed_ledger_begin = 1577836800;
static const int64_t speed_ledger_day = 86400;

/* What an entry books: from one account to another, whose numbers count from 0. */
struct speed_booking {
    int64_t time; /* the entry's day, in seconds since 1970 */
    uint32_t debit, credit;
    int64_t cents;
};

/* What the entry `number` of `count` books. */
struct speed_booking speed_booking(uint32_t number, uint32_t count, uint64_t seed);

/* The day up to which the balance number `step` is asked. */
int64_t speed_balance_time(uint32_t step, uint64_t seed);

/* When the month begins that is `month` months after the first. */
int64_t speed_month(uint32_t month);

/* What makes a sum of cents positive, so that proofs can hold it. */
static const int64_t speed_ledger_bias = (int64_t)1 << 48;

#endif
