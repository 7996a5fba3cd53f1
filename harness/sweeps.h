/*
 * --sweep: the named sweeps of a program. A room is a folder with the program of an experiment. The file
 * sweeps.txt in it has a row for each sweep, with these fields: where the sweep is measured, program, name of
 * the sweep, options (CONTRIBUTING.md). The rows are compiled into the programs. And the processes that
 * measure a sweep or a part of one, each with a device context of its own; no other file calls fork.
 */
#ifndef HARNESS_SWEEPS_H
#define HARNESS_SWEEPS_H

#include "harness/options.h"

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct named_sweep {
    const char *name;
    /* options of the sweep, with numbers instead of GPUS and N*SMS, as add_options reads them */
    const char *options;
};

/* Finds the sweeps that options->sweep asks for: the sweep of this name or, for "all", each sweep whose row
 * in sweeps.txt fits this device and options->extent. Returns their number, and sets *sweeps to them. May
 * open the device in another process, and exits if that fails. */
size_t find_sweeps(const struct experiment *experiment, const struct options *options,
                   struct named_sweep **sweeps);

/*
 * Forks: starts a process that continues from this call. Returns 0 in the new process, and the new process's
 * id in the old one. With `ends_with_parent` the new process is killed when the old one ends. Must be called
 * before the device is opened, because a device context does not survive fork. Exits with EXIT_CANNOT if no
 * process can be started.
 */
pid_t process_start(bool ends_with_parent);

/* Waits for the process and returns its exit status, or EXIT_CANNOT if a signal ended it. */
int process_end(pid_t child);

#ifdef __cplusplus
}
#endif

#endif
