/*
 * Writes the result file, which is JSON of schema gpusync-result/1. The file is written whole or not at all.
 * The main sweep is the file's object itself; sweeps of other names (--sweep) are in its member "sweeps",
 * each a result of its own. While a sweep runs, its journal keeps the points, one on a line, so that an
 * interrupted sweep can go on. The main sweep has the journal FILE.partial, and the sweep NAME has the
 * journal FILE.NAME.partial.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#define SCHEMA "gpusync-result/1"
#define MAIN_SWEEP "main"

/* Returns whether the file is a result that lacks this sweep; then writing the sweep replaces nothing. */
bool result_lacks(const char *path, const char *sweep);

/*
 * Opens the journal of the sweep for the result file `path`. `sweep` may be NULL; then the result file holds
 * nothing but this sweep. Returns the points of an interrupted run as a JSON array, which is empty if there
 * are none.
 *
 * With `resume`, exits with EXIT_BAD_INPUT, and names the difference, if the interrupted run had another
 * header (command, input, revision or device). Without it, exits if the journal has points, unless `force`
 * drops them. Exits, too, if the result file has sweeps of another device. Lines are only added to a journal,
 * never changed. A journal that was cut off in its first line, as on a full disk, is begun anew.
 *
 * The journal is locked until it is closed or the process ends; exits with EXIT_CANNOT if another process
 * has locked it.
 */
cJSON *journal_open(const char *path, const char *sweep, const cJSON *header, bool resume, bool force);

/* Closes the journal, which stays, and ends its lock. */
void journal_close(void);

/* Adds a line for the point to the journal. Does nothing if no journal is open. */
void journal_add(const cJSON *point);

/* Writes the result file and removes the journal. Unless `sweep` is NULL, replaces this sweep in the file and
 * leaves the others. Exits with EXIT_BAD_INPUT on failure; then the journal stays. */
void result_write(const char *path, const char *sweep, const cJSON *result);

#endif
