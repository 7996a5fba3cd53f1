/* A description for the memory machine, of what micro-components measured on a GPU. */
#ifndef REPORT_PRESET_H
#define REPORT_PRESET_H

#include <stdio.h>

/* Prints it under that name. Exits with EXIT_BAD_INPUT if the file is no such result. */
void print_preset(const char *name, const char *path, FILE *file);

#endif
