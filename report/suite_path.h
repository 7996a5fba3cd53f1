/* Finds files of the suite, regardless of the current folder. */
#ifndef REPORT_SUITE_PATH_H
#define REPORT_SUITE_PATH_H

#include <cjson/cJSON.h>

#define SUITE_PATH_BYTES 4096

/*
 * Writes the path of a file of the suite, such as results/papers/NAME.json or plots/NAME.gp, into `found` and
 * returns it. The file is looked for in this order: below $GPUSYNC_DATA, if that is set; in the tree that
 * holds the program's build folder, which an installation has, too; below the current folder.
 */
char *suite_path(const char *path, char found[SUITE_PATH_BYTES]);

/* Returns the contents of a JSON file of the suite, whose path is made as by printf and found as by
 * suite_path; exits with EXIT_BAD_INPUT if it is absent or broken. */
cJSON *json_of_suite(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
