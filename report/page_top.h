/* The first screen of a device's page: what a barrier costs, when it pays, how many claims hold. */
#ifndef REPORT_PAGE_TOP_H
#define REPORT_PAGE_TOP_H

#include "report/judging.h"
#include "report/page_figure.h"

/* Prints the first screen. Parts for which the folder has no results are left out. */
void print_top(const struct page *page, const struct judging *judging);

/* Prints a sentence with the costs of the cheapest ordered barrier and of a launch on the folder's device.
 * Prints nothing, and returns false, if micro-barrier was not measured there. */
bool print_costs_sentence(FILE *file, const char *folder);

/* Prints ", gains" of grid barriers in whole programs, one sentence; nothing if none was measured. */
void print_gains_sentence(FILE *file, const char *folder);

/* Prints the name of a paper as people write it: "Xiao and Feng 2010" for "xiao-feng-2010". */
void print_paper_name(FILE *file, const char *paper);

/* Prints the address in the page, without "#", of the claims of a paper. */
void print_claims_id(FILE *file, const char *paper);

#endif
