/* micro-litmus on a device beside the memory machine: which outcomes PTX allows, and how often they came. */
#ifndef REPORT_PAPERS_LITMUS_H
#define REPORT_PAPERS_LITMUS_H

#include "report/results.h"
#include "report/table.h"

#include <stdio.h>

/*
 * For plots/litmus.gp, a row for each test and form: the form's and the test's place from 0 and their
 * names, whether PTX allows the outcome that the test asks for, how often it came in an execution on
 * this device and on the machine (0: never), and whether any execution of the machine's model shows
 * it. False: the result is of no such program.
 */
bool write_litmus(const struct result *result, FILE *file);

/* Prints the table `litmus`. */
void print_litmus(const char *folder, enum form form, FILE *file);

#endif
