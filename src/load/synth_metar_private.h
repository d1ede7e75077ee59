/* Between the parts of the METAR generator. */
#ifndef OBSTREAM_LOAD_SYNTH_METAR_PRIVATE_H
#define OBSTREAM_LOAD_SYNTH_METAR_PRIVATE_H

#include "obstream/load/synth_metar.h"

/* Fills everything that the air alone decides; amounts and extremes are absent. Returns the kind of
 * precipitation, 0 when dry. */
int metar_observe(const struct metar_station *s, const struct synth_air *a, double snow,
                  uint64_t dice, struct metar_obs *o);

/* Takes elements out of a few reports, before they are written. */
void metar_drop_some(uint64_t dice, struct metar_obs *o);

/* "RA" of a kind, for the begin and end remarks. */
const char *metar_event_name(int kind);

#endif
