#include "harness/streams.h"
#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"

#ifndef GPUSYNC_MACHINE
#include <cuda.h>
#endif

static struct {
    cudaStream_t stream;
    cudaEvent_t done;
} sides[SIDE_STREAMS];
static cudaEvent_t begun;

static void make_streams(void)
{
    CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    for (int i = 0; i < SIDE_STREAMS; i++) {
        CHECK(cudaStreamCreate(&sides[i].stream));
        CHECK(cudaEventCreateWithFlags(&sides[i].done, cudaEventDisableTiming));
    }
}

cudaStream_t side_stream(int number)
{
    return sides[number].stream;
}

void fork_streams(void)
{
    if (!begun)
        make_streams();
    CHECK(cudaEventRecord(begun, harness_stream()));
    for (int i = 0; i < SIDE_STREAMS; i++)
        CHECK(cudaStreamWaitEvent(sides[i].stream, begun, 0));
}

void join_streams(void)
{
    for (int i = 0; i < SIDE_STREAMS; i++) {
        CHECK(cudaEventRecord(sides[i].done, sides[i].stream));
        CHECK(cudaStreamWaitEvent(harness_stream(), sides[i].done, 0));
    }
}

#ifdef GPUSYNC_MACHINE

/* Whose streams do one thing after the other. */
void stream_write(cudaStream_t stream, unsigned *to, unsigned value)
{
    CHECK(cudaMemcpyAsync(to, &value, sizeof value, cudaMemcpyHostToDevice, stream));
}

#else

void stream_write(cudaStream_t stream, unsigned *to, unsigned value)
{
    static CUresult (*write)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    enum cudaDriverEntryPointQueryResult state = cudaDriverEntryPointSuccess;
    if (!write)
        CHECK(cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", (void **)&write, 12050,
                                               cudaEnableDefault, &state));
    CUresult result = state == cudaDriverEntryPointSuccess
                          ? write(stream, (CUdeviceptr)to, value, CU_STREAM_WRITE_VALUE_DEFAULT)
                          : CUDA_ERROR_NOT_FOUND;
    if (result != CUDA_SUCCESS)
        fail(EXIT_CANNOT, "cuStreamWriteValue32: error %d of the driver", (int)result);
}

#endif
