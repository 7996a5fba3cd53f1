/* The conditions that a GPU measures under, as its driver says; the memory machine has none. */
#ifndef HARNESS_CONDITIONS_H
#define HARNESS_CONDITIONS_H

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Appends the time, temperature, clocks and power of now. Appends nothing where the driver's library is
 * missing. */
void add_conditions(struct cJSON *conditions);

/* The power that the card draws now, in watts; NaN where the driver does not say it. */
double device_power_watts(void);

#ifdef __cplusplus
}
#endif

#endif
