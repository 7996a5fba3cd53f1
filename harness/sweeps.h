/*
 * --sweep: the named sweeps of a program. Its room's sweeps.txt has a row for each: where it is measured, program, name of
 * the sweep, options (CONTRIBUTING.md); the rows are compiled into the programs.
 */
#ifndef HARNESS_SWEEPS_H
#define HARNESS_SWEEPS_H

#include "harness/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As parse_options, with the options of the one sweep that the command line names, if it names one. */
void parse_options_of_sweep(int argc, char **argv, const struct experiment *experiment, struct options *out);

/* Measures one sweep with these options; returns the exit status. */
typedef int measure_function(const struct experiment *experiment, const struct options *options, int argc,
                             char **argv);

/*
 * Measures the sweep that options->sweep names; for "all", each that the rows give this device and options->extent, in a
 * process of its own. With --list, prints a line for each instead: name of the result (of a program that samples another,
 * the other's), name of the sweep, options. An option of the command
 * line overrides the row's. Returns the worst exit status. Exits with EXIT_BAD_INPUT if there is no such sweep.
 */
int measure_sweeps(const struct experiment *experiment, const struct options *options, int argc, char **argv,
                   measure_function *measure);

#ifdef __cplusplus
}
#endif

#endif
