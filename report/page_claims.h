/* The claims on a device's page. */
#ifndef REPORT_PAGE_CLAIMS_H
#define REPORT_PAGE_CLAIMS_H

#include "report/judging.h"
#include "report/page_figure.h"

/* Prints the page's part with the claims: a fold for each paper, with a row for each claim that some result
 * of the folder can judge, and what the verdicts mean. The other claims are only counted. */
void print_claims_part(const struct page *page, const struct judging *judging);

#endif
