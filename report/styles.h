/* Chooses how figures draw each variant. A variant looks the same in every figure. */
#ifndef REPORT_STYLES_H
#define REPORT_STYLES_H

struct style {
    const char *color; /* "#rrggbb" */
    int point;         /* gnuplot's number for the type of point */
};

/* Returns the style of a variant. It is that of the variant's method in harness/methods.def, or of its row
 * "style" in tables.txt. A variant NAME+METHOD has the style of one of its two parts. A variant without any
 * of these is blue. */
struct style style_of(const char *variant);

#endif
