/* Text files of rows whose cells are separated by tabs, as bugs/measured/ and blind/ have them. */
#ifndef REPORT_TSV_H
#define REPORT_TSV_H

#include <stddef.h>

#define TSV_CELLS 5

struct tsv {
    char *heading; /* the text of the last line that begins with "# ", or "" */
    struct tsv_row {
        char *cells[TSV_CELLS]; /* a cell that the row lacks is "" */
    } * rows;                   /* the rows, sorted by their first cells */
    size_t count;
};

/* Reads FOLDER/FILE.tsv. Exits with EXIT_BAD_INPUT if it cannot be read or has a row with more than TSV_CELLS
 * cells. */
struct tsv tsv_read(const char *folder, const char *file);

void tsv_free(struct tsv *tsv);

/* Returns the first row from number `from` on whose first cell is `name`, or NULL. */
const struct tsv_row *tsv_find(const struct tsv *tsv, const char *name, size_t from);

/* Returns a cell as a number. Exits with EXIT_BAD_INPUT if the cell is not a number. */
double tsv_number(const struct tsv_row *row, size_t cell);

#endif
