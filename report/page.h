/* Writes HTML pages that show what the results of devices say. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/draw.h"

/* Writes the page of a device, index.html, into the folder of the drawn figures. */
void write_page(const struct drawing *drawing);

/* Writes the overview plots/index.html, which has every folder of results, every claim on every device, and a
 * comparison of two GPUs. */
void write_overview(void);

#endif
