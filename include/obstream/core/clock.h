/* Clocks, in microseconds. */
#ifndef OBSTREAM_CORE_CLOCK_H
#define OBSTREAM_CORE_CLOCK_H

#include <stdint.h>

int64_t clock_wall(void); /* since 1970-01-01T00:00:00Z; may jump */
int64_t clock_mono(void); /* since some start; never jumps */

#endif
