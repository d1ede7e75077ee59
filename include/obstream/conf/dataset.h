/* The data sets: each has its own connection string, so that one IEM database per data set and one
 * obstream database with a schema per data set are served alike. */
#ifndef OBSTREAM_CONF_DATASET_H
#define OBSTREAM_CONF_DATASET_H

enum dataset {
    DATASET_ASOS,     /* METAR archive */
    DATASET_HADS,     /* SHEF archive */
    DATASET_COOP,     /* climodat and normals */
    DATASET_IEM,      /* newest SHEF values, daily summaries */
    DATASET_MESOSITE, /* stations, networks */
    DATASET_COUNT
};

const char *dataset_name(enum dataset d); /* "asos": also the schema's name in our own layout */

#endif
