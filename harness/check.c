#include "harness/check.h"
#include "base/failure.h"

void check_call(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    if (error == cudaErrorLaunchTimeout)
        fail(EXIT_DEADLOCK, "%s", cudaGetErrorString(error));
    fail(EXIT_CANNOT, "%s: %s (%s:%d)", call, cudaGetErrorString(error), file, line);
}
