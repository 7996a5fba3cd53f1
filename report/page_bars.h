/* Bars that show how many claims have which verdict, and the colours of verdicts. */
#ifndef REPORT_PAGE_BARS_H
#define REPORT_PAGE_BARS_H

#include "report/judging.h"

/* Returns the class in the style sheet of the pages (report/page_style.h) that colours a verdict. */
const char *verdict_class(enum claim_verdict verdict);

/* Prints a bar with a part for each verdict on the paper's judged claims. The width of a part is proportional
 * to its number of claims. */
void print_verdict_bar(FILE *file, const struct paper_totals *paper);

/* Prints what the colours of the bars mean. */
void print_bar_legend(FILE *file);

#endif
