/* Draws figures: for each, writes a data file and a file of settings, and runs gnuplot. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include "report/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* A figure that has been drawn. */
struct drawn {
    const struct figure *figure;
    char name[128];           /* the name of the figure's files without their endings (.svg, .png, ...) */
    struct settings settings; /* the caption, the marks and the sentence of the drawing */
};

/* All figures that have been drawn for a folder of results. */
struct drawing {
    const char *folder;
    char plots[512];     /* the folder into which the figures are drawn: plots_of(folder) */
    struct drawn *drawn; /* array of the `count` drawn figures; the caller frees it */
    size_t count, left_out;
};

/* Draws all figures for which the folder has results, and returns their list. A figure that lacks data or
 * cannot be drawn is named on stderr and left out. */
struct drawing draw_folder(const char *folder);

/* Draws figures with the curves of two devices into plots/compare-A-B/, where A and B are the folders' names.
 * Returns how many figures could not be drawn. */
size_t draw_comparison(const char *a, const char *b);

/* Creates a folder in plots/, if there is none. Refuses a symbolic link, which could lead out of plots/. */
void make_folder(const char *path);

#endif
