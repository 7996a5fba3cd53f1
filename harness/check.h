/* CHECK(call) checks a call of the CUDA runtime; every call is checked. */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exits unless the call succeeded: with EXIT_DEADLOCK for a deadlock, else with EXIT_CANNOT. */
void check_call(cudaError_t error, const char *call, const char *file, int line);
#define CHECK(call) check_call((call), #call, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
