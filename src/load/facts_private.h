/* The parts of the METAR station table, one per file, so that no file grows beyond reading. */
#ifndef OBSTREAM_LOAD_FACTS_PRIVATE_H
#define OBSTREAM_LOAD_FACTS_PRIVATE_H

#include "obstream/load/facts.h"

#define FACT_PART(n)                                                                               \
    extern const struct fact_station fact_metar_##n[];                                             \
    extern const size_t fact_metar_##n##_count

FACT_PART(1);
FACT_PART(2);
FACT_PART(3);
FACT_PART(4);
FACT_PART(5);
FACT_PART(6);

#endif
