/* The columns of each data set's table; internal to the loader. */
#ifndef OBSTREAM_LOAD_DATASET_COLUMNS_H
#define OBSTREAM_LOAD_DATASET_COLUMNS_H

#include "dataset.h"

extern const struct load_column metar_columns[39];
extern const struct load_column shef_columns[8];
extern const struct load_column hads_columns[6];
extern const struct load_column coop_columns[28];
extern const struct load_column cocorahs_columns[9];
extern const struct load_column climate_columns[33];
extern const struct load_column shef_now_columns[15];
extern const struct load_column summary_columns[34];
extern const struct load_column current_columns[76];
extern const struct load_column station_columns[38];
extern const struct load_column network_columns[10];
extern const struct load_column attribute_columns[3];
extern const struct load_column threading_columns[4];

#endif
