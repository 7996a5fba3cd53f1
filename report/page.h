/* What the parts of a device's page have in common. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/figures.h"
#include "report/results.h"

#include <stdbool.h>
#include <stdio.h>

struct page {
    FILE *file;
    const char *folder, *plots; /* of the results; of the figures and the page */
    const struct drawn *drawn;
    size_t count;
    const struct result *device; /* any result, which says what device it is; NULL: the abstract machines */
};

/* page_claims.c: what the verdicts mean, and every claim, those that cannot be judged for want of results folded. */
void print_claims_part(const struct page *page);

/* page_figure.c: how all figures are to be read; one with what makes it and what it was drawn from, and its title. */
void print_reading(const struct page *page);
void print_figure(const struct page *page, const struct drawn *drawn);
const char *drawn_title(const struct drawn *drawn, char *text, size_t bytes);

/* The result that a figure is of: NAME of FOLDER/NAME.json. */
const char *drawn_source(const struct drawn *drawn, char *text, size_t bytes);

#endif
