/* The kernel language: the CUDA compiler's own, or the memory machine's header when built for it. */
#ifndef SYNC_DEVICE_CUH
#define SYNC_DEVICE_CUH

#ifdef GPUSYNC_MACHINE
#include "machine/cuda_machine.h"
#else
#include <cuda_runtime.h>
#endif

#endif
