/*
 * Formulas over the results of a device, as in results/papers/claims.json, docs/numbers.txt and the rooms'
 * tables.txt: numbers, + - * /, parentheses, min(A, B), max(A, B), and functions of results, such as
 *
 *     round('micro-barrier', 'lock-free', 30) / barrier('micro-barrier', 'counter', all)
 *
 * `report help formulas` lists the functions (report/formula_functions.c and
 * report/papers/formula_functions.c).
 */
#ifndef REPORT_FORMULA_H
#define REPORT_FORMULA_H

#include "report/sources.h"
#include "report/value.h"

#include <stdio.h>

/* Returns the value of a formula. Exits with EXIT_BAD_INPUT if the formula cannot be read. */
struct value formula_value(const char *formula, struct sources *sources);

/* Writes into `text` the name of the first result that the formula reads, and returns `text`. */
const char *formula_source(const char *formula, char *text, size_t bytes);

/* Prints the language of formulas and its functions. */
void print_formula_help(FILE *file);

#endif
