#include "obstream/api/station_class.h"

#include "obstream/core/strutil.h"

#include <string.h>

bool station_reports_metar(const struct station *st)
{
    return strstr(st->network, "ASOS") != NULL || strstr(st->network, "AWOS") != NULL;
}

bool station_reports_climodat(const struct station *st)
{
    return str_ends(st->network, "CLIMATE");
}

bool station_reports_coop(const struct station *st)
{
    return str_ends(st->network, "_COOP");
}

bool station_reports_shef(const struct station *st)
{
    return !station_reports_metar(st) && !station_reports_climodat(st);
}
