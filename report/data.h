/* The data of a figure, for gnuplot: data sets in the order of the figure's names, or rows of bars. */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include "report/figures.h"

/* The names of a figure that are drawn. */
struct names {
    char **items;
    bool *ordered;
    size_t *places; /* in the figure's list */
    size_t count;
    char lacking[64]; /* the first that must be there and was not measured; "": none */
};

struct names names_of(const struct figure *figure, const struct result *result);
/* All of a list. */
struct names names_of_list(char **list, size_t count);
void names_free(struct names *names);

/* Writes the data; false: there is nothing to draw. `folder`: of the result. */
bool write_data(const struct figure *figure, const struct result *result, const char *folder,
                const struct names *names, FILE *file);

/* The same of the study of the abstract machines. */
void write_study(const struct figure *figure, const char *folder, const struct names *names, FILE *file);

/* One variant's curve: X, Y. */
void write_curve(const struct figure *figure, const struct result *result, const char *variant, FILE *file);

#endif
