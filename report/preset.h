/* A description for the memory machine, made from what micro-components measured on a GPU. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Makes a description with this name from a result of micro-components; the caller deletes it. Exits with
 * EXIT_BAD_INPUT if the file `path` is no such result. */
cJSON *preset_of(const char *name, const char *path);

/* Prints the description. */
void print_preset(const char *name, const char *path, FILE *file);

#endif
