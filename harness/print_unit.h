/* The unit of the times in the table that a program prints. The result file has other units. */
#ifndef HARNESS_PRINT_UNIT_H
#define HARNESS_PRINT_UNIT_H

#include "harness/sweep.h"

struct print_unit {
    const char *name;
    double factor; /* factor that converts a sample's time to the unit */
};

/*
 * Returns the unit that --unit names. Without --unit it is the unit of the samples or, on a memory machine
 * with a clock, microseconds. Exits with EXIT_BAD_INPUT if the device's clock is not known and the unit
 * needs it. The device is open.
 */
struct print_unit print_unit_of(const struct sweep *sweep);

#endif
