/*
 * The result file: JSON of schema gpusync-result/1, written whole or not at all. It holds the main sweep itself, and
 * sweeps of other names (--sweep) as members of its member "sweeps", each a result of its own. While a sweep runs, its
 * journal, FILE.partial or FILE.NAME.partial, keeps the points, one line each, so that an interrupted sweep can go on.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#define SCHEMA "gpusync-result/1"
#define MAIN_SWEEP "main"

/* Is the file a result, and without this sweep? Then writing the sweep replaces nothing. */
bool result_lacks(const char *path, const char *sweep);

/* Exits with EXIT_BAD_INPUT if the file is a result of another device: its sweeps are of one. */
void result_check_device(const char *path, const cJSON *device);

/*
 * Opens the journal of the sweep; NULL: of what the options say, as the main one. If an interrupted run left one: with resume, returns its points as a JSON array, and
 * exits with EXIT_BAD_INPUT, naming the difference, if that run had another header (command, input, revision
 * or device); without resume, exits likewise, unless `force` says to drop it. Lines are only ever added.
 */
cJSON *journal_open(const char *path, const char *sweep, const cJSON *header, bool resume, bool force);
void journal_add(const cJSON *point);

/* Writes the file, or, unless `sweep` is NULL, puts this sweep into it and leaves the others; then the journal goes.
 * Exits with EXIT_BAD_INPUT on failure, and the journal stays. */
void result_write(const char *path, const char *sweep, const cJSON *result);

#endif
