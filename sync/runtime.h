/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime as the headers for the host see it, for C and C++, on a GPU and on the memory machine.
 */
#ifndef GPUSYNC_RUNTIME_H
#define GPUSYNC_RUNTIME_H

#include <stddef.h>

#ifdef GPUSYNC_MACHINE
#include "machine/runtime_api.h"

/* The machine's GPUs are parts of one device and need no peer access. */
static inline cudaError_t gpusync_enable_peer_access(int peer)
{
    (void)peer;
    return cudaSuccess;
}

#else
#include <cuda_runtime_api.h>

/* Lets the current GPU access the memory of GPU `peer`. Access that is enabled already is not an error:
 * another part of the program may have enabled it. */
static inline cudaError_t gpusync_enable_peer_access(int peer)
{
    cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        return error;
    cudaGetLastError(); /* clears the error, which the runtime would report again */
    return cudaSuccess;
}

#endif

#endif
