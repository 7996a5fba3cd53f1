/* The conditions under which a GPU measures (temperature, clock rates, power), as its driver reports them.
 * The memory machine has none. */
#ifndef HARNESS_CONDITIONS_H
#define HARNESS_CONDITIONS_H

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Appends the present time and the GPU's present temperature, clock rates and power. Appends nothing if the
 * driver's library is missing. */
void add_conditions(struct cJSON *conditions);

/* Returns the power that the GPU draws now, in watts, or NaN if the driver does not report it. */
double device_power_watts(void);

#ifdef __cplusplus
}
#endif

#endif
