#include "coop_model.h"

#include "compat.h"
#include "coop.h"

#include <math.h>

static const double mm_per_inch = 25.4, cm_per_inch = 2.54;

static double no_nan(double v)
{
    return isnan(v) ? COOP_NO_DATA : v;
}

void apsim_line(struct buf *out, int64_t day, const struct coop_day *d)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    buf_printf(out, "%4d %10d %10.3f %10.1f %10.1f %10.2f\n", year, coop_day_of_year(day),
               no_nan(d->srad), iem_f2c(d->high), iem_f2c(d->low), d->precip * mm_per_inch);
}

void apsim_climate_lines(struct buf *out, double mean, double warmest, double coldest)
{
    buf_printf(out, "tav = %.3f (oC) ! annual average ambient temperature\n",
               iem_f2c(no_nan(mean)));
    if (!isnan(warmest))
        buf_printf(out, "amp = %.3f (oC) ! annual amplitude in mean monthly temperature\n",
                   iem_f2c(warmest) - iem_f2c(coldest));
}

void daycent_line(struct buf *out, int64_t day, const struct coop_day *d)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    buf_printf(out, "%d %d %d %d %.2f %.2f %.2f\n", mday, month, year, coop_day_of_year(day),
               iem_f2c(d->high), iem_f2c(d->low), d->precip * cm_per_inch);
}

void salus_line(struct buf *out, const char *station, int64_t day, const struct coop_day *d,
                int number)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    buf_printf(out, "%.4s, %d, %d, %.4f, %.2f, %.2f, %.2f, , , , %d\n", station, year,
               coop_day_of_year(day), no_nan(d->srad), iem_f2c(d->high), iem_f2c(d->low),
               d->precip * mm_per_inch, number);
}

void dndc_line(struct buf *out, int64_t day, const struct coop_day *d)
{
    buf_printf(out, "%d %.2f %.2f %.2f\n", coop_day_of_year(day), iem_f2c(d->high), iem_f2c(d->low),
               d->precip * cm_per_inch);
}

static void swat_day(struct buf *out, int64_t day)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    buf_printf(out, "%d%03d", year, coop_day_of_year(day));
}

void swat_precip_line(struct buf *out, int64_t day, const struct coop_day *d)
{
    swat_day(out, day);
    if (isnan(d->precip))
        buf_puts(out, "  nan\n");
    else
        buf_printf(out, "%5.1f\n", d->precip * mm_per_inch);
}

void swat_temp_line(struct buf *out, int64_t day, const struct coop_day *d)
{
    swat_day(out, day);
    buf_printf(out, "%5.1f%5.1f\n", iem_f2c(d->high), iem_f2c(d->low));
}

void century_lines(struct buf *out, int year, const struct coop_month months[12])
{
    static const char *const names[MONTH_VALUES] = { "prec", "tmin", "tmax" };
    for (int v = 0; v < MONTH_VALUES; v++) {
        buf_printf(out, "%s  %d", names[v], year);
        for (int m = 0; m < 12; m++)
            buf_printf(out, "%7.2f", months[m].values[v]);
        buf_putc(out, '\n');
    }
}
