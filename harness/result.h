/*
 * The result file: JSON of schema gpusync-result/1, written whole or not at all. While a sweep
 * runs, FILE.partial keeps its points, one line each, so that an interrupted sweep can go on.
 */
#ifndef HARNESS_RESULT_H
#define HARNESS_RESULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Exits with EXIT_BAD_INPUT if the file exists and may not be replaced, or cannot be written there. */
void result_check_target(const char *path, bool force);

/*
 * Opens FILE.partial. With resume, returns the points that an interrupted run with an equal header
 * left there, as a JSON array; else an empty array, and the file starts afresh.
 */
cJSON *journal_open(const char *path, const cJSON *header, bool resume);
void journal_add(const cJSON *point);

/* Writes the file under a temporary name and renames it; then the journal goes. Exits with
 * EXIT_BAD_INPUT on failure. */
void result_write(const char *path, const cJSON *result);

#endif
