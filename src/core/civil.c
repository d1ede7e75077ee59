#include "obstream/core/civil.h"

enum { DAYS_PER_ERA = 146097, EPOCH_SHIFT = 719468 }; /* 400 years; 0000-03-01 to 1970-01-01 */

int64_t civil_days(int year, int month, int day)
{
    int64_t y = (int64_t)year + floor_div(month - 1, 12);
    int m = (int)(month - 1 - 12 * floor_div(month - 1, 12)) + 1;
    y -= m <= 2;
    int64_t era = floor_div(y, 400);
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * DAYS_PER_ERA + yoe * 365 + yoe / 4 - yoe / 100 + doy - EPOCH_SHIFT;
}

void civil_from_days(int64_t days, int *year, int *month, int *day)
{
    days += EPOCH_SHIFT;
    int64_t era = floor_div(days, DAYS_PER_ERA);
    int64_t doe = days - era * DAYS_PER_ERA;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *day = (int)(doy - (153 * mp + 2) / 5 + 1);
    *month = (int)(mp < 10 ? mp + 3 : mp - 9);
    *year = (int)(yoe + era * 400 + (*month <= 2));
}

int64_t civil_to_usec(const struct civil *c)
{
    return civil_days(c->year, c->month, c->day) * USEC_PER_DAY + c->hour * USEC_PER_HOUR +
           c->minute * USEC_PER_MIN + c->second * USEC_PER_SEC + c->usec;
}

struct civil civil_from_usec(int64_t usec)
{
    struct civil c;
    int64_t days = floor_div(usec, USEC_PER_DAY);
    int64_t rest = usec % USEC_PER_DAY;
    if (rest < 0)
        rest += USEC_PER_DAY;
    civil_from_days(days, &c.year, &c.month, &c.day);
    c.hour = (int)(rest / USEC_PER_HOUR);
    c.minute = (int)(rest / USEC_PER_MIN % 60);
    c.second = (int)(rest / USEC_PER_SEC % 60);
    c.usec = (int)(rest % USEC_PER_SEC);
    return c;
}

bool civil_is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int civil_month_days(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return days[month - 1] + (month == 2 && civil_is_leap(year));
}

bool civil_valid(const struct civil *c)
{
    return c->year >= 1 && c->year <= 9999 && c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= civil_month_days(c->year, c->month) && c->hour >= 0 && c->hour <= 23 &&
           c->minute >= 0 && c->minute <= 59 && c->second >= 0 && c->second <= 59 && c->usec >= 0 &&
           c->usec < 1000000;
}
