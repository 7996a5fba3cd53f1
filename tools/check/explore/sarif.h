/* Writes the reports of a check as SARIF 2.1.0 (OASIS), which tools for code review read. */
#ifndef CHECK_SARIF_H
#define CHECK_SARIF_H

#include <cjson/cJSON.h>

/* Both functions exit with EXIT_BAD_INPUT if the file cannot be written. json_write() writes the JSON and
 * frees it. */
void json_write(cJSON *json, const char *path);
void sarif_write(const char *path);

#endif
