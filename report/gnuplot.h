/* Draws a figure with gnuplot, and says with which colour and type of point a variant is drawn. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdbool.h>

/* Writes the colour for a dark page that replaces `color` into `dark`. `color` is "#rrggbb" or gnuplot's
 * "rgb(r, g, b)", "black", "gray" or "white". The two have the same hue; the darker one is, the brighter the
 * other. Returns `dark`, which is "" if `color` has none of these forms. */
const char *dark_color(char dark[8], const char *color);

/* Returns whether gnuplot is installed. */
bool can_draw(void);

/* What follows the STEM in the name of a drawing for narrow screens. */
#define NARROW "-narrow"

/* Draws STEM.svg, STEM-narrow.svg and STEM.png from STEM.dat and STEM.set with the script plots/SCRIPT.gp.
 * The SVGs have the title `title` and colours for light and dark pages (report/gnuplot.c). If gnuplot fails,
 * says so on stderr and returns false. */
bool gnuplot_draw(const char *script, const char *stem, const char *title);

/* Chooses how figures draw each variant. A variant looks the same in every figure. */

struct style {
    const char *color; /* "#rrggbb" */
    int point;         /* gnuplot's number for the type of point */
};

/* Returns the style of a variant: the style of its method in harness/methods.def, or the style in the
 * variant's row "style" of tables.txt. A variant NAME+METHOD has the style of one of its two parts. A variant
 * that has none of these styles is blue. */
struct style style_of(const char *variant);

/* Returns whether the variant has one of these styles. */
bool has_style(const char *variant);

#endif
