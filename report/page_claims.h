/* The claims on a device's page. */
#ifndef REPORT_PAGE_CLAIMS_H
#define REPORT_PAGE_CLAIMS_H

#include "report/page_figure.h"

/* Prints the page's part with the claims: what the verdicts mean, and a row for each claim. Claims of
 * experiments without results are folded away. */
void print_claims_part(const struct page *page);

#endif
