/* Rates derived from the times of micro-decode's points */
#ifndef MICRO_DECODE_ANALYSIS_H
#define MICRO_DECODE_ANALYSIS_H

#include <cjson/cJSON.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes for each point the bytes per nanosecond (or time unit), and two times as percentages of the
 * point's time: the time of the variant `no-order`, in which no block waits for another, and the time of a
 * copy that moves the same number of bytes. */
cJSON *analyse_decoding(const cJSON *points, int threads);

#ifdef __cplusplus
}
#endif

#endif
