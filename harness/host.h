/* Facts about the host for result files, and folder names made of other names. */
#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

#include <stddef.h>

struct cJSON;

/* Returns all facts about the host, for the result file. */
struct cJSON *describe_host(void);

/* Writes `prefix` and `name` as a name for folders: lower-case letters, digits and dashes. "NVIDIA H100 80GB
 * HBM3" becomes "nvidia-h100-80gb-hbm3". */
void make_slug(const char *prefix, const char *name, char *slug, size_t bytes);

#endif
