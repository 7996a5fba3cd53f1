/* Where the files are that report needs of the suite itself, from any current folder. */
#ifndef REPORT_SUITE_PATH_H
#define REPORT_SUITE_PATH_H

#include <cjson/cJSON.h>

#define SUITE_PATH_BYTES 4096

/*
 * `path` is as in the tree: results/papers/NAME.json, plots/NAME.gp. It is below $GPUSYNC_DATA, if that is set; else,
 * where it is there, below share/gpusync beside the program's folder (make install), or in the tree that holds the
 * build folder; else in the current folder. Returns `found`.
 */
char *suite_path(const char *path, char found[SUITE_PATH_BYTES]);

/* json_need of such a file. */
cJSON *json_of_suite(const char *path);

#endif
