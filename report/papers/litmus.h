/* Shows litmus tests (micro-litmus) on a device and on the memory machine: which outcomes PTX allows, and how
 * often each outcome came. */
#ifndef REPORT_PAPERS_LITMUS_H
#define REPORT_PAPERS_LITMUS_H

#include "report/results.h"
#include "report/table.h"

#include <stdio.h>

/*
 * Writes the data of plots/litmus.gp: a row for each litmus test in each of its forms. A row has the places
 * of the form and of the test, counted from 0; their names; whether PTX allows the outcome that the test asks
 * for; how often this outcome came per execution, on this device and on the machine; and whether any
 * execution of the machine's model shows it. Returns false if the result is not of micro-litmus.
 */
bool write_litmus(const struct result *result, FILE *file);

/* Prints the table `litmus`: which outcome of each test PTX allows, and how often it came. */
void print_litmus(const char *folder, enum form form, FILE *file);

#endif
