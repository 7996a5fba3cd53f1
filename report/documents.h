/* Makes documents from templates, which contain marks for numbers and tables computed from results. */
#ifndef REPORT_DOCUMENTS_H
#define REPORT_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * The template of the document PATH is docs/templates/PATH, at most two folders deep. A template's lines are
 * copied, except for these marks:
 *
 *     {{KEY}}                      a number of docs/numbers.txt
 *     {{report ARGUMENT...}}       what build/report prints for these arguments; stands on a line of its own
 *     {{printed by COMMAND}}       left out with the empty line after it; tests/commands holds the indented
 *                                  block that follows against the output of COMMAND
 *
 * docs/numbers.txt has rows of three kinds (report/formula.h describes formulas):
 *
 *     device NAME | FOLDER                 NAME stands for results/reference/FOLDER
 *     KEY | FORMULA % DIGITS               a number with at most DIGITS digits after the point; KEY is
 *                                          DEVICE.THING.UNIT or similar, and DEVICE is a device's NAME
 *     drawing FILE | NAME FIGURE           docs/FILE.svg is that device's FIGURE; `make documents` copies it
 */

/*
 * Makes every document from its template. `print` prints what a mark {{report ARGUMENT...}} stands for. With
 * `only_check` no document is written. Prints the name of each document that differed to stdout, and returns
 * their number. Exits with EXIT_BAD_INPUT, and names the file and the line, for a mark that cannot be read,
 * an unknown key, a formula without a value, and a key that stands twice in docs/numbers.txt or in no
 * template.
 */
size_t make_documents(void (*print)(int count, char **arguments, FILE *file), bool only_check);

#endif
