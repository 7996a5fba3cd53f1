/* Makes a description for the memory machine (a preset) from a GPU's results of micro-components. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Returns a description with the name `name`, made from the result of micro-components in the file `path`;
 * the caller deletes it. Parts that the result does not have come from a later result, the file of the
 * same name in the folder added/ beside it, if there is one. Exits with EXIT_BAD_INPUT if the file is no
 * such result. */
cJSON *preset_of(const char *name, const char *path);

/* Prints the description that preset_of makes. */
void print_preset(const char *name, const char *path, FILE *file);

#endif
