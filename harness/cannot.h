/*
 * What an optional library, or a part of the driver that not every machine has, refuses: the point is left out with
 * the library's own reason, and the rest is measured.
 */
#ifndef HARNESS_CANNOT_H
#define HARNESS_CANNOT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REASON_BYTES 256

/* Does the work; false if it ended by cannot_measure, with the reason. */
bool attempt(void (*work)(void *context), void *context, char reason[REASON_BYTES]);

/* Ends the attempt that is under way, and what it had allocated is lost; where there is none, the program, with
 * EXIT_CANNOT. No lane of the memory machine may call it. */
void cannot_measure(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/*
 * Each answer of a library goes through this: ends the attempt, naming the library and the reason, unless the call was
 * `good`. GPUSYNC_PLANT_FAILURE=LIBRARY makes it fail although it was, so that tests see what becomes of it.
 */
void need_library(const char *library, bool good, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
