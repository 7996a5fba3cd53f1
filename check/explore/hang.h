/*
 * Under which models of progress does a checked program end, and how many of its blocks must be resident? The models are
 * those of machine/machine.h; each is tried with many schedules of coherent memory, and few resident blocks.
 */
#ifndef CHECK_HANG_H
#define CHECK_HANG_H

#include "check/explore/report.h"

#include <cjson/cJSON.h>

/* `seconds` are for all runs. */
struct hang_study hang_study(struct limits limits, double seconds, int argc, char **argv);

void hang_print(const struct hang_study *study);
cJSON *hang_json(const struct hang_study *study);

#endif
