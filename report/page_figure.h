/* The figures of a device's page. */
#ifndef REPORT_PAGE_FIGURE_H
#define REPORT_PAGE_FIGURE_H

#include "report/draw.h"
#include "report/results.h"

#include <stdbool.h>
#include <stdio.h>

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

/* Writes the title of the figure into `text` and returns `text`. */
const char *drawn_title(const struct drawn *drawn, char *text, size_t bytes);

/* Writes into `text` the name of the result that the figure shows, as result_open reads it, and returns
 * `text`. */
const char *drawn_source(const struct drawn *drawn, char *text, size_t bytes);

#endif
