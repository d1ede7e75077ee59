/*
 * Lines of the input files that crop models read. Pure: from day records to bytes.
 *
 * Units: high and low in degrees Fahrenheit, precip in inches, srad in MJ per square metre and day;
 * NaN where there is no value. The files have Celsius, millimetres (APSIM, Century, SALUS, SWAT) or
 * centimetres (DayCent, DNDC). Layouts: as the recorded service writes them.
 */
#ifndef OBSTREAM_SRC_COMPAT_COOP_MODEL_H
#define OBSTREAM_SRC_COMPAT_COOP_MODEL_H

#include "obstream/core/buf.h"

struct coop_day {
    int64_t day; /* since 1970-01-01 */
    double high, low, precip, srad;
};

/* Sum (millimetres) and mean temperatures (Celsius) of a month; -99 where there is none. */
enum coop_month_value { MONTH_PRECIP, MONTH_LOW, MONTH_HIGH, MONTH_VALUES };
struct coop_month {
    double values[MONTH_VALUES];
};

enum { COOP_NO_DATA = -99 };

#define SALUS_HEAD "StationID, Year, DOY, SRAD, Tmax, Tmin, Rain, DewP, Wind, Par, dbnum\n"
#define DAYCENT_HEAD "Daily Weather Data File (use extra weather drivers = 0):\n\n"
#define APSIM_HEAD                                                                                 \
    "year        day       radn       maxt       mint      rain\n"                                 \
    "  ()         ()   (MJ/m^2)       (oC)       (oC)       (mm)\n"

/* `day` is the one printed; a scenario prints another than that of the record. */
void apsim_line(struct buf *out, int64_t day, const struct coop_day *d);
void daycent_line(struct buf *out, int64_t day, const struct coop_day *d);
void salus_line(struct buf *out, const char *station, int64_t day, const struct coop_day *d,
                int number);
void dndc_line(struct buf *out, int64_t day, const struct coop_day *d);
void swat_precip_line(struct buf *out, int64_t day, const struct coop_day *d);
void swat_temp_line(struct buf *out, int64_t day, const struct coop_day *d);
void century_lines(struct buf *out, int year, const struct coop_month months[12]);

/* tav and amp: `mean`, `warmest` and `coldest` month's mean in degrees Fahrenheit, NaN when there
 * are no normals; amp is then left out, and tav made from -99. */
void apsim_climate_lines(struct buf *out, double mean, double warmest, double coldest);

#endif
