/*
 * Attempts that an optional library, or a part of the driver that some systems lack, may refuse. The sweep
 * then leaves out the point, with the library's own reason, and measures the rest.
 */
#ifndef HARNESS_CANNOT_H
#define HARNESS_CANNOT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REASON_BYTES 256

/* Calls work(context). Returns false, and the reason, if the work called cannot_measure. */
bool attempt(void (*work)(void *context), void *context, char reason[REASON_BYTES]);

/* Ends the attempt that runs now; what the attempt allocated is lost. Outside of an attempt it exits with
 * EXIT_CANNOT. No lane of the memory machine may call it. */
void cannot_measure(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/*
 * Checks an answer of a library: unless the call was `good`, ends the attempt with the library's name and the
 * reason. The environment variable GPUSYNC_PLANT_FAILURE=LIBRARY makes each check of that library fail, for
 * tests.
 */
void need_library(const char *library, bool good, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
