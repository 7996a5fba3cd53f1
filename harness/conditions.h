/* The conditions under which a GPU measures (temperature, clock rates, power), as its driver reports them;
 * the memory machine has none. And facts about the host. */
#ifndef HARNESS_CONDITIONS_H
#define HARNESS_CONDITIONS_H

#include <stddef.h>

/* Facts about the host for result files, and folder names made of other names. */

struct cJSON;

/* Returns all facts about the host, for the result file. */
struct cJSON *describe_host(void);

/* Writes `prefix` and `name` as a name for folders: lower-case letters, digits and dashes. "NVIDIA H100 80GB
 * HBM3" becomes "nvidia-h100-80gb-hbm3". */
void make_slug(const char *prefix, const char *name, char *slug, size_t bytes);

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Appends the present time and the GPU's present temperature, clock rates and power. Appends nothing if the
 * driver's library is missing. */
void add_conditions(struct cJSON *conditions);

/* Returns the power that the GPU draws now, in watts, or NaN if the driver does not report it. Programs for
 * the memory machine lack this function. */
double device_power_watts(void);

#ifdef __cplusplus
}
#endif

#endif
