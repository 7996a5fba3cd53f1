/* Reads text files with rows of cells that are separated by tabs, such as those in bugs/measured/,
 * blind/ and results/papers/. */
#ifndef REPORT_TSV_H
#define REPORT_TSV_H

#include <stddef.h>

#define TSV_CELLS 8

struct tsv {
    char *heading; /* the file's heading: the text of the last line that begins with "# ", or "" */
    struct tsv_row {
        char *cells[TSV_CELLS]; /* the row's cells; a cell that the row lacks is "" */
    } * rows;                   /* the rows, sorted by their first cell */
    size_t count;
};

/* Returns the contents of FOLDER/FILE.tsv. Exits with EXIT_BAD_INPUT if it cannot be read or has a row with
 * more than TSV_CELLS cells. */
struct tsv tsv_read(const char *folder, const char *file);

void tsv_free(struct tsv *tsv);

/* Returns the first row whose first cell is `name`, searching from row number `from` on, or NULL if there is
 * none. */
const struct tsv_row *tsv_find(const struct tsv *tsv, const char *name, size_t from);

/* Returns the cell number `cell` of the row as a number. Exits with EXIT_BAD_INPUT if the cell is not a
 * number. */
double tsv_number(const struct tsv_row *row, size_t cell);

#endif
