/* Checks calls of the CUDA runtime: every call in the suite stands in CHECK(call). */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/platform.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exits unless the call of the CUDA runtime succeeded: with EXIT_DEADLOCK if the error is a deadlock,
 * otherwise with EXIT_CANNOT. */
void check_call(cudaError_t error, const char *call, const char *file, int line);
#define CHECK(call) check_call((call), #call, __FILE__, __LINE__)

/* Attempts: work that may turn out to be impossible, because an optional library refuses it, or the driver of
 * this system lacks a part. The sweep then leaves out the point, notes the library's reason, and measures the
 * rest. */

#define REASON_BYTES 256

/* Makes an attempt: calls work(context). If the work calls cannot_measure, writes its reason into `reason`
 * and returns false; otherwise returns true. */
bool attempt(void (*work)(void *context), void *context, char reason[REASON_BYTES]);

/* Makes the running attempt fail with this reason; memory that it allocated is not freed. Outside of an
 * attempt, exits with EXIT_CANNOT. No lane of the memory machine may call it. */
void cannot_measure(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Checks that a library's call was `good`. If not, makes the running attempt fail with the library's name and
 * the reason. The environment variable GPUSYNC_PLANT_FAILURE=LIBRARY makes each check of that library fail,
 * for tests. */
void need_library(const char *library, bool good, const char *reason);

#ifdef __cplusplus
}
#endif

#endif
