/* Prints a comparison of two devices as one table, and finds the points that are too slow. */
#ifndef REPORT_COMPARE_TABLE_H
#define REPORT_COMPARE_TABLE_H

#include "report/compare_pair.h"

/* print_table_of_questions prints a row for each question, and print_table_of_points one for each point. */
void print_table_of_questions(const struct pair *pairs, size_t count, enum form form, FILE *file);
void print_table_of_points(const struct pair *pairs, size_t count, const struct arguments *options,
                           FILE *file);

/* Exits with EXIT_BAD_INPUT if the list --only, which may be NULL, has a name that is none of the folder's
 * `results` and no variant of theirs. */
void check_only(const char *folder, char **results, size_t count, const char *only);

/* Names the points whose whole interval of the ratio lies above 1 + allowed, on stderr, the first ones of
 * many, and returns their number. */
size_t name_slower(const struct pair *pairs, size_t count, double allowed);

#endif
