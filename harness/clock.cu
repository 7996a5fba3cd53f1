/* Measures the clock rate of the multiprocessors by a kernel, because the true rate differs from the vendor's
 * maximum and from the rate that the driver reports. */
#include "harness/check.h"
#include "harness/device.h"

/* The kernel that measures the clock rate runs for this time, in ns. It begins and ends at ticks of the
 * nanosecond timer, which may tick only once in a microsecond. */
#define PROBE_NS 20000

__device__ static unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ static unsigned long long next_tick()
{
    unsigned long long before = nanoseconds(), now;
    while ((now = nanoseconds()) == before) {
    }
    return now;
}

__global__ void probe_clock(double *hz)
{
    unsigned long long begin = next_tick(), begin_cycles = clock64(), end = begin;
    while (end - begin < PROBE_NS)
        end = next_tick();
    *hz = (double)(clock64() - begin_cycles) / (double)(end - begin) * 1e9;
}

double device_clock_hz(void)
{
    /* The clock rate goes to pinned memory of the host, which is allocated once. Managed memory would be
     * slower: moving a page takes longer than the kernel. */
    static double *hz;
    if (!hz)
        CHECK(cudaMallocHost((void **)&hz, sizeof *hz));
    probe_clock<<<1, 1, 0, harness_stream()>>>(hz);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(harness_stream()));
    return *hz;
}
