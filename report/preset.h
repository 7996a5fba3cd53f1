/* Makes a description for the memory machine (a preset) from a GPU's results of micro-components. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include "report/arguments.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Returns a description with the name `name`, made from the result of micro-components in the file `path`;
 * the caller deletes it. Parts that the result does not have come from a later result, if there is one: the
 * file of the same name in the folder added/ beside it, or else, of a file in the folder predicted/, that in
 * the folder above. Exits with EXIT_BAD_INPUT if the file is no such result. */
cJSON *preset_of(const char *name, const char *path);

/* The command `preset`: prints the description that preset_of makes. */
int print_preset(struct arguments *arguments, FILE *file);

/* ---- report/descriptions.c: machines' descriptions ---- */

/* The command `constants`: prints each constant and its source of a machine's description, which is a file,
 * or one of the suite's machines by its name, such as h100. Exits with EXIT_BAD_INPUT if the machine could
 * not be run with it. */
int print_constants(struct arguments *arguments, FILE *file);

/*
 * The command `vary`: prints the machine description in a file with each constant multiplied by a random
 * factor, whose logarithm is uniform within the constant's uncertainty, to find out how much a verdict
 * depends on inexact constants. The same number always gives the same factors. Constants that were taken from
 * one another ("as ...") keep their ratio. Exits with EXIT_BAD_INPUT if the file is not a description.
 */
int print_varied(struct arguments *arguments, FILE *file);

#endif
