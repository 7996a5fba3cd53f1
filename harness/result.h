/*
 * The result file: JSON of schema gpusync-result/1, written whole or not at all. While a sweep runs,
 * FILE.partial, its journal, keeps the points, one line each, so that an interrupted sweep can go on.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Opens FILE.partial. If an interrupted run left one: with resume, returns its points as a JSON array, and
 * exits with EXIT_BAD_INPUT, naming the difference, if that run had another header (command, input, revision
 * or device); without resume, exits likewise, unless `force` says to drop it. Lines are only ever added.
 */
cJSON *journal_open(const char *path, const cJSON *header, bool resume, bool force);
void journal_add(const cJSON *point);

/* Writes the file; then the journal goes. Exits with EXIT_BAD_INPUT on failure, and the journal stays. */
void result_write(const char *path, const cJSON *result);

#endif
