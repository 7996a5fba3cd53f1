/* Chooses how figures draw each variant. A variant looks the same in every figure. */
#ifndef REPORT_STYLES_H
#define REPORT_STYLES_H

struct style {
    const char *color; /* "#rrggbb" */
    int point;         /* gnuplot's number for the type of point */
};

/* Returns the style of a variant: the style of its method in harness/methods.def, or the style in the
 * variant's row "style" of tables.txt. A variant NAME+METHOD has the style of one of its two parts. A variant
 * that has none of these styles is blue. */
struct style style_of(const char *variant);

#endif
