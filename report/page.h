/* Writes HTML pages that show what the results of devices say. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/draw.h"
#include "report/claims.h"
#include "report/results.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- report/page_figure.c: the figures of a device's page ---- */

/* A page that is being written. */
struct page {
    FILE *file;
    const char *folder;        /* the folder of the results */
    const char *plots;         /* the folder with the page and its figures */
    const struct drawn *drawn; /* the figures */
    size_t count;              /* number of figures in `drawn` */
    const struct result
        /* any result of the folder, from which facts about the device are read; NULL on the page of the
         * abstract machines */
        *device;
};

/* Prints how to read the figures of the page. */
void print_reading(const struct page *page);

/* Prints a figure with the command that measures it, its data, and the results that it is drawn from. */
void print_figure(const struct page *page, const struct drawn *drawn);

/* Returns the title of the figure. */
const char *drawn_title(const struct drawn *drawn);

/* Returns the name of the result that the figure shows, as result_open reads it. */
const char *drawn_source(const struct drawn *drawn);

/* ---- report/page_top.c: the first screen of a device's page ---- */

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

/* ---- whole pages ---- */

/* Writes the page of a device, index.html, into the folder of the drawn figures. */
void write_page(const struct drawing *drawing);

/* Writes the overview plots/index.html, which has a card for every folder of results, every claim on every
 * device, and a comparison of two GPUs. */
void write_overview(void);

/* Prints the beginning of a page, up to its title. */
void print_start(FILE *file, const char *title);

/* ---- report/page_top.c: bars that show how many claims have which verdict, and the colours of verdicts ----
 * */

/* Returns the class in the style sheet of the pages (report/page.c) that colours a verdict. */
const char *verdict_class(enum claim_verdict verdict);

/* Prints a bar with a part for each verdict on the paper's judged claims. The width of a part is proportional
 * to its number of claims. */
void print_verdict_bar(FILE *file, const struct paper_totals *paper);

/* Prints what the colours of the bars mean. */
void print_bar_legend(FILE *file);

#endif
