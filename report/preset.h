/* Makes a description for the memory machine (a preset) from a GPU's results of micro-components. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include "report/table.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Returns a description with the name `name`, made from the result of micro-components in the file `path`;
 * the caller deletes it. Parts that the result does not have come from a later result, the file of the
 * same name in the folder added/ beside it, if there is one. Exits with EXIT_BAD_INPUT if the file is no
 * such result. */
cJSON *preset_of(const char *name, const char *path);

/* Prints the description that preset_of makes. */
void print_preset(const char *name, const char *path, FILE *file);

/* ---- report/descriptions.c: machines' descriptions ---- */

/* Prints each constant and its source of the machine's description `preset`: a file, or one of the suite's
 * machines by its name, such as h100. Exits with EXIT_BAD_INPUT if the machine could not be run with it. */
void print_constants(const char *preset, enum form form, FILE *file);

/*
 * Prints the machine description in the file `path` with each constant multiplied by a random factor, whose
 * logarithm is uniform within the constant's uncertainty, to find out how much a verdict depends on inexact
 * constants. The same `number` always gives the same factors.
 * Constants that were taken from one another ("as ...") keep their ratio. Exits with EXIT_BAD_INPUT if the
 * file is no description.
 */
void print_varied(const char *path, unsigned long long number, FILE *file);

#endif
