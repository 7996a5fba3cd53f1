/* The functions of the CUDA runtime for streams and events that machine/runtime_api.h lacks. */
#ifndef GPUSYNC_CHECK_STREAM_CALLS_H
#define GPUSYNC_CHECK_STREAM_CALLS_H

#define cudaStreamLegacy machine_legacy_stream
#define cudaStreamPerThread machine_stream_of_thread
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const bool gpusync_stream_of_thread = (machine_use_stream_of_thread(), true);
#endif

enum { cudaEventRecordDefault, cudaEventRecordExternal };
enum { cudaEventWaitDefault, cudaEventWaitExternal };
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);

/* These overloads leave out the last parameters, for which the CUDA runtime has default values. */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
    return cudaEventRecord(event, nullptr);
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
    return cudaStreamWaitEvent(stream, event, 0);
}

static inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned)
{
    return cudaEventRecord(event, stream);
}
static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    double units_per_second = machine_clock_hz();
    *milliseconds = (float)(machine_event_elapsed(start, stop) * 1e3 / units_per_second);
    return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return machine_event_wait(event);
}
static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return machine_event_query(event);
}

static inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *argument)
{
    return machine_call_host(function, argument, stream);
}
namespace gpusync_check
{
struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
};
static inline void call_back(void *data)
{
    callback *c = (callback *)data;
    c->function(c->stream, cudaSuccess, c->argument);
    delete c;
}
} // namespace gpusync_check
static inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                                void *argument, unsigned)
{
    return machine_call_host(gpusync_check::call_back,
                             new gpusync_check::callback{function, stream, argument}, stream);
}

static inline cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}
static inline cudaError_t cudaDeviceReset()
{
    return cudaDeviceSynchronize();
}

#endif
