/*
 * Makes the schedule of a failed run short. A trial makes the run again without some of its departures from
 * the plain schedule (machine_keep_departures()). If the run still fails, these departures are left out for
 * good. In the end some accesses come in another order than in a run that does not fail: they are the steps
 * that matter.
 */
#ifndef CHECK_SHORTEN_H
#define CHECK_SHORTEN_H

#include "tools/check/explore/findings.h"

/* the part of a check's time that all trials may take */
#define PART_FOR_TRIALS 0.125

/* Gives each printed report of a run that fails because of its schedule a short schedule. `seconds` is the
 * time of the check. If its runs have taken all of it, the trials take less. */
void shorten_schedules(const struct findings *findings, double seconds);

#endif
