/* What the METAR endpoints share. */
#ifndef OBSTREAM_ENDPOINTS_METAR_H
#define OBSTREAM_ENDPOINTS_METAR_H

#include "common.h"

/* report_type */
extern const struct param params_metar[];

/* SQL of the parameter report_type, "" when it was not given. */
const char *metar_filter(struct api_request *r, const struct native_params *p);

#endif
