/* Text to instants: what is accepted lies within the years 1 to 9999 as a local time, and reads
 * back as the same instant when it is printed. */
#include "fuzz.h"

#include "obstream/core/number.h"
#include "obstream/core/timeparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const zones[] = { "UTC", "America/Chicago", "Asia/Kathmandu", "Pacific/Apia",
                                         "Africa/Monrovia" };
    struct input in = { data, size };
    struct err e = ERR_INIT;
    const struct tz *tz = tz_find(zones[input_byte(&in) % 5]);
    char *text = input_text(&in), again[64];
    int64_t usec, days, back;
    MUST(tz != NULL);
    if (time_parse(text, tz, &usec, &e)) {
        struct civil c = civil_from_usec(usec);
        MUST(c.year >= 0 && c.year <= 10000);
        *number_instant(again, usec) = '\0';
        if (c.year >= 1 && c.year <= 9999)
            MUST(time_parse(again, tz, &back, NULL) && back == usec);
    } else {
        MUST(e.kind == ERR_PARAM && e.msg[0] != '\0');
    }
    err_clear(&e);
    if (day_parse(text, &days, &e)) {
        *number_day(again, days) = '\0';
        MUST(day_parse(again, &back, NULL) && back == days);
    } else {
        MUST(e.kind == ERR_PARAM);
    }
    free(text);
    return 0;
}
