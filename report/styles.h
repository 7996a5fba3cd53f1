/* How figures draw each variant; a variant looks the same in every figure. */
#ifndef REPORT_STYLES_H
#define REPORT_STYLES_H

struct style {
    const char *color; /* "#rrggbb" */
    int point;         /* gnuplot's number of the point type */
};

/* Returns the style of a method of the register, of a variant with a row "style", or of a part of
 * NAME+METHOD; a variant without any of these is blue. */
struct style style_of(const char *variant);

#endif
