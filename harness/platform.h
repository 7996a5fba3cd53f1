/* Includes the device runtime for which this program is built: CUDA, or the memory machine's subset of it. */
#ifndef HARNESS_PLATFORM_H
#define HARNESS_PLATFORM_H

#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#include "machine/runtime_api.h"
#else
#include <cuda_runtime_api.h>
#endif

#endif
