/* What follows from the times of micro-decode's points. */
#ifndef MICRO_DECODE_ANALYSIS_H
#define MICRO_DECODE_ANALYSIS_H

#include <cjson/cJSON.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For each point: bytes a nanosecond (or time unit), and what percent of its time are loads (what `no-order` takes)
 * and a copy of as many bytes. */
cJSON *analyse_decoding(const cJSON *points, int threads);

#ifdef __cplusplus
}
#endif

#endif
