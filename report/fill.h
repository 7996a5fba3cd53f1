/* Numbers and tables in documents, computed from results. */
#ifndef REPORT_FILL_H
#define REPORT_FILL_H

#include <stdio.h>

/*
 * Copies a document to `out`, with what stands between these marks computed anew:
 *
 *     <!--=KEY-->NUMBER<!--/-->      what stands behind KEY in docs/numbers.txt, KEY | FOLDER: FORMULA % DIGITS:
 *                                    a formula (report/formula.h) over results/reference/FOLDER
 *     <!-- report ARGUMENT... -->                              what build/report prints for these arguments,
 *     <!-- end -->                                             on lines of its own
 *
 * `print` prints for the arguments. Exits with EXIT_BAD_INPUT, naming file and line, for a mark without an end or a
 * formula without a value.
 */
void fill_document(const char *path, void (*print)(int count, char **arguments, FILE *file), FILE *out);

#endif
