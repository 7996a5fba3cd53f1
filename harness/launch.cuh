/* One way to launch a kernel, for CUDA and for the memory machine. */
#ifndef HARNESS_LAUNCH_CUH
#define HARNESS_LAUNCH_CUH

#include "sync/device.cuh"

struct launch_shape {
    dim3 blocks, threads;
    size_t shared_bytes;
    bool cooperative;  /* fails if the blocks cannot all be resident */
    bool programmatic; /* programmatic dependent launch */
};

#ifdef GPUSYNC_MACHINE

template <class Closure>
static void call_closure(const void *closure)
{
    (*static_cast<const Closure *>(closure))();
}

template <class... Parameters, class... Arguments>
static cudaError_t launch(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream,
                          Arguments... arguments)
{
    auto closure = [=] { kernel(arguments...); };
    machine_launch description = {call_closure<decltype(closure)>,
                                  &closure,
                                  sizeof closure,
                                  {shape.blocks.x, shape.blocks.y, shape.blocks.z},
                                  {shape.threads.x, shape.threads.y, shape.threads.z},
                                  shape.shared_bytes,
                                  shape.cooperative,
                                  shape.programmatic};
    return machine_launch_kernel(&description, stream);
}

template <class... Parameters>
static int resident_blocks_per_sm(void (*)(Parameters...), unsigned threads, size_t shared_bytes)
{
    return machine_resident_blocks_per_sm((int)threads, shared_bytes);
}

#else

#include "harness/check.h"

template <class... Parameters, class... Arguments>
static cudaError_t launch(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream,
                          Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    config.gridDim = shape.blocks;
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (shape.cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (shape.programmatic) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* 0 if not even one block of this shape fits. */
template <class... Parameters>
static int resident_blocks_per_sm(void (*kernel)(Parameters...), unsigned threads, size_t shared_bytes)
{
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, shared_bytes));
    return blocks;
}

#endif

#endif
