#include "harness/gpus.h"
#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"

#ifdef GPUSYNC_MACHINE

#include "machine/machine.h"

/* On the memory machine a single stream has the work of all GPUs. Functions that make streams wait for each
 * other therefore do nothing there. */
void gpus_open(unsigned count, struct gpus *out)
{
    *out = (struct gpus){.count = count};
    machine_set_devices(count);
    for (unsigned g = 0; g < count; g++) {
        out->devices[g] = (int)g;
        out->streams[g] = harness_stream();
    }
}
void gpus_close(struct gpus *gpus)
{
    (void)gpus;
    machine_set_devices(1);
}
bool gpus_has_peer(void)
{
    return false;
}
void gpus_reach_each_other(const struct gpus *gpus)
{
    (void)gpus;
}
void gpus_fork(const struct gpus *gpus)
{
    (void)gpus;
}
void gpus_join(const struct gpus *gpus)
{
    (void)gpus;
}
double gpus_time(const struct gpus *gpus, unsigned gpu)
{
    (void)gpus, (void)gpu;
    return 0;
}

#else

static void need_link(int from, int to)
{
    int access = 0, atomics = 0;
    CHECK(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, from, to));
    CHECK(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, from, to));
    if (!access || !atomics)
        fail(EXIT_CANNOT, "GPU %d cannot reach the memory of GPU %d%s", from, to,
             access ? " with atomic operations" : "");
}

/* Chooses g->count GPUs: the current device first, then the other devices in the order of their numbers. */
static void choose(struct gpus *g)
{
    int current, available, next = 0;
    CHECK(cudaGetDevice(&current));
    CHECK(cudaGetDeviceCount(&available));
    if ((int)g->count > available)
        fail(EXIT_CANNOT, "%u GPUs are asked for, and there %s %d", g->count, available == 1 ? "is" : "are",
             available);
    g->devices[0] = current;
    for (unsigned i = 1; i < g->count; i++, next++) {
        next += next == current;
        g->devices[i] = next;
    }
}

static void open_gpu(struct gpus *g, unsigned i)
{
    CHECK(cudaSetDevice(g->devices[i]));
    g->streams[i] = harness_stream();
    if (i)
        CHECK(cudaStreamCreateWithFlags(&g->streams[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&g->begun[i]));
    CHECK(cudaEventCreate(&g->done[i]));
    for (unsigned peer = 0; peer < g->count; peer++)
        if (peer != i)
            need_link(g->devices[i], g->devices[peer]);
}

void gpus_open(unsigned count, struct gpus *out)
{
    *out = (struct gpus){.count = count};
    choose(out);
    for (unsigned i = 0; i < count; i++)
        open_gpu(out, i);
    CHECK(cudaSetDevice(out->devices[0]));
}

void gpus_close(struct gpus *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        CHECK(cudaSetDevice(g->devices[i]));
        CHECK(cudaEventDestroy(g->begun[i]));
        CHECK(cudaEventDestroy(g->done[i]));
        if (i)
            CHECK(cudaStreamDestroy(g->streams[i]));
    }
    CHECK(cudaSetDevice(g->devices[0]));
}

bool gpus_has_peer(void)
{
    int available;
    CHECK(cudaGetDeviceCount(&available));
    return available > 1;
}

void gpus_reach_each_other(const struct gpus *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        CHECK(cudaSetDevice(g->devices[i]));
        for (unsigned peer = 0; peer < g->count; peer++)
            if (peer != i)
                CHECK(gpusync_enable_peer_access(g->devices[peer]));
    }
    CHECK(cudaSetDevice(g->devices[0]));
}

void gpus_fork(const struct gpus *g)
{
    CHECK(cudaEventRecord(g->begun[0], g->streams[0]));
    for (unsigned i = 1; i < g->count; i++) {
        CHECK(cudaSetDevice(g->devices[i]));
        CHECK(cudaStreamWaitEvent(g->streams[i], g->begun[0], 0));
        CHECK(cudaEventRecord(g->begun[i], g->streams[i]));
    }
    CHECK(cudaSetDevice(g->devices[0]));
}

void gpus_join(const struct gpus *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        CHECK(cudaSetDevice(g->devices[i]));
        CHECK(cudaEventRecord(g->done[i], g->streams[i]));
    }
    CHECK(cudaSetDevice(g->devices[0]));
    for (unsigned i = 1; i < g->count; i++)
        CHECK(cudaStreamWaitEvent(g->streams[0], g->done[i], 0));
}

double gpus_time(const struct gpus *g, unsigned gpu)
{
    float milliseconds;
    CHECK(cudaEventSynchronize(g->done[gpu]));
    CHECK(cudaEventElapsedTime(&milliseconds, g->begun[gpu], g->done[gpu]));
    return 1e6 * (double)milliseconds;
}

#endif
