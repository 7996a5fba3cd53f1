/* A description for the memory machine, of what micro-components measured on a GPU. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Makes it under that name, to be deleted. Exits with EXIT_BAD_INPUT if the file is no such result. */
cJSON *preset_of(const char *name, const char *path);

/* Prints it. */
void print_preset(const char *name, const char *path, FILE *file);

#endif
