/* Prints machines' descriptions: as a table of constants, or with constants that are drawn at random, to find
 * out how much a verdict depends on inexact ones. */
#ifndef REPORT_DESCRIPTIONS_H
#define REPORT_DESCRIPTIONS_H

#include "report/table.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Prints each constant and its source of the machine's description `preset`: a file, or one of the suite's
 * machines by its name, such as h100. Exits with EXIT_BAD_INPUT if the machine could not be run with it. */
void print_constants(const char *preset, enum form form, FILE *file);

/*
 * Prints the machine description in the file `path` with each constant multiplied by a random factor, whose
 * logarithm is uniform within the constant's uncertainty. The same `number` always gives the same factors.
 * Constants that were taken from one another ("as ...") keep their ratio. Exits with EXIT_BAD_INPUT if the
 * file is no description.
 */
void print_varied(const char *path, unsigned long long number, FILE *file);

#endif
