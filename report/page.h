/* Writes HTML pages that show what the results of devices say. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/draw.h"

#include <stdio.h>

/* Writes the page of a device, index.html, into the folder of the drawn figures. */
void write_page(const struct drawing *drawing);

/* Writes the overview plots/index.html, which has a card for every folder of results, every claim on every
 * device, and a comparison of two GPUs. */
void write_overview(void);

/* Prints the beginning of a page, up to its title. */
void print_start(FILE *file, const char *title);

#endif
