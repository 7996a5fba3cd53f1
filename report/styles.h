/* The look of each variant, the same in every figure. */
#ifndef REPORT_STYLES_H
#define REPORT_STYLES_H

struct style {
    const char *color; /* "#rrggbb" */
    int point;         /* gnuplot's type of point */
};

/* Methods have theirs from the register, NAME+METHOD has the method's. */
struct style style_of(const char *variant);

#endif
