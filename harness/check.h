/* Checks calls of the CUDA runtime: every call in the suite stands in CHECK(call). */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exits unless the call of the CUDA runtime succeeded: with EXIT_DEADLOCK if the error is a deadlock,
 * otherwise with EXIT_CANNOT. */
void check_call(cudaError_t error, const char *call, const char *file, int line);
#define CHECK(call) check_call((call), #call, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
