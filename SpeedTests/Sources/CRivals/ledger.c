#include "CRivals.h"

struct speed_booking speed_booking(uint32_t number, uint32_t count, uint64_t seed) {
    uint64_t state = seed + number;
    speed_next(&state);
    struct speed_booking booking;
    uint64_t day = (uint64_t)number * speed_ledger_days / count;
    booking.time = speed_ledger_begin + (int64_t)day * speed_ledger_day;
    booking.debit = (uint32_t)(speed_next(&state) % speed_ledger_accounts);
    booking.credit =
        (booking.debit + 1 + (uint32_t)(speed_next(&state) % (speed_ledger_accounts - 1))) %
        speed_ledger_accounts;
    booking.cents = 100 + (int64_t)(speed_next(&state) % 500000);
    return booking;
}

int64_t speed_balance_time(uint32_t step, uint64_t seed) {
    uint64_t state = seed + step;
    return speed_ledger_begin +
           (int64_t)(speed_next(&state) % speed_ledger_days) * speed_ledger_day;
}

int64_t speed_month(uint32_t month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t passed = 0;
    for (uint32_t past = 0; past < month; past++) {
        uint32_t year = 2020 + past / 12;
        passed += days[past % 12] + (past % 12 == 1 && year % 4 == 0);
    }
    return speed_ledger_begin + passed * speed_ledger_day;
}
