#include "obstream/core/clock.h"

#include <time.h>

static int64_t clock_read(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_wall(void)
{
    return clock_read(CLOCK_REALTIME);
}

int64_t clock_mono(void)
{
    return clock_read(CLOCK_MONOTONIC);
}
