/* Prints the claims about one of a paper's figures, and their verdicts on devices. */
#ifndef REPORT_PAPERS_OUTCOME_H
#define REPORT_PAPERS_OUTCOME_H

#include <stddef.h>
#include <stdio.h>

/* Prints, in Markdown, how many of the claims under a figure of a paper hold on each of the `count` folders, and
 * after it, folded, a table with a row for each claim and a column for each folder. `figure` is a word of the member
 * "under" of claims. Exits with EXIT_BAD_INPUT if results/papers/claims.json has no such claim. */
void print_outcome(const char *figure, char **folders, size_t count, FILE *file);

#endif
