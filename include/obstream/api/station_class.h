/* Which entries of the station table report to which archive. */
#ifndef OBSTREAM_API_STATION_CLASS_H
#define OBSTREAM_API_STATION_CLASS_H

#include "obstream/api/catalog.h"

bool station_reports_metar(const struct station *st);    /* networks like IA_ASOS */
bool station_reports_shef(const struct station *st);     /* IA_DCP, IA_COOP and other gauges */
bool station_reports_climodat(const struct station *st); /* networks like IACLIMATE */
bool station_reports_coop(const struct station *st);     /* networks like IA_COOP */

#endif
