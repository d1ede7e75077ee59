/*
 * The monthly roll-up of coop.alldata (coop.rollup_month): brings up to date the months whose daily
 * rows were written since. Triggers list those months in coop.rollup_touched in the transaction
 * that writes; until they are rolled up the server reads their daily rows, so that its answers are
 * the same before and after.
 */
#ifndef OBSTREAM_LOAD_ROLLUP_H
#define OBSTREAM_LOAD_ROLLUP_H

#include "obstream/core/err.h"

#include <signal.h>
#include <stdint.h>

struct rollup_counts {
    uint64_t stations, months;
};

/* One transaction for each station; what is done when it fails or is stopped stays, and the rest is
 * done by the next call. `all` makes everything anew, for changes that no trigger saw (a
 * partition that was attached, detached or dropped). `stop` may be NULL. ERR_DATABASE when the
 * database lacks the tables (remedy: obstream schema). */
bool rollup_run(const char *dsn, bool all, const volatile sig_atomic_t *stop,
                struct rollup_counts *counts, struct err *e) MUST_CHECK;

#endif
