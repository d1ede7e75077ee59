/*
 * Great-circle distances between stations and a point of the request.
 *
 * Haversine formula on a sphere of the earth's mean radius R1 = 6371.0088 km (IUGG; Moritz 2000,
 * Geodetic Reference System 1980): within 0.6 % of the ellipsoid's geodesics.
 */
#ifndef OBSTREAM_API_DISTANCE_H
#define OBSTREAM_API_DISTANCE_H

#include "obstream/api/native.h"

/* Kilometres; positions in degrees. NaN when one of them is. */
double distance_km(double lat1, double lon1, double lat2, double lon2);

/* From the request's lat, lon; NaN when it names no point or the station's position is not known.
 */
double station_distance(const struct native_params *p, const struct station *st);

double station_distance_shown(const struct native_params *p,
                              const struct station *st); /* to the metre */

/* Whether the station lies within the request's radius; true without one. */
bool station_within(const struct native_params *p, const struct station *st);

/* Faults when only some of lat, lon and radius are given. */
void distance_check(struct api_request *r, const struct native_params *p);

/* Puts ids of the station table into the order of their distance, equal ones ascending. False, with
 * err set, when memory is exhausted. */
bool distance_sort(struct api_request *r, const struct native_params *p, const char **ids,
                   size_t count);

#endif
