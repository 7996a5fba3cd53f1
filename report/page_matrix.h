/* The matrix of all claims on all devices, as coloured cells. */
#ifndef REPORT_PAGE_MATRIX_H
#define REPORT_PAGE_MATRIX_H

#include "report/judging.h"

/* Prints for each paper a fold with a row for each claim that some device can judge, and a column for each of
 * the `count` devices. A cell has the device's value on the colour of the verdict; its title is a sentence
 * with the verdict and what must be known of the value. */
void print_matrix(FILE *file, const struct judging *devices, size_t count);

#endif
