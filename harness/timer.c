#include "harness/timer.h"
#include "harness/device.h"
#include "harness/check.h"
#include "base/failure.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static double limit_s = 30;
static char guarded[256] = "the device";
static cudaEvent_t start, stop;

void watchdog_set(double seconds, const char *what)
{
    limit_s = seconds;
    snprintf(guarded, sizeof guarded, "%s", what);
}

double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void wait_for_device(void)
{
    double begin = host_seconds();
    cudaError_t state;
    while ((state = cudaStreamQuery(harness_stream())) == cudaErrorNotReady)
        if (host_seconds() - begin > limit_s)
            fail(EXIT_DEADLOCK, "%s did not end within %g s: deadlock, or a longer --timeout is needed",
                 guarded, limit_s);
    CHECK(state);
}

void timer_start(void)
{
    if (!start) {
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
    }
    CHECK(cudaEventRecord(start, harness_stream()));
}

double timer_stop(void)
{
    CHECK(cudaEventRecord(stop, harness_stream()));
    wait_for_device();
#ifdef GPUSYNC_MACHINE
    return machine_event_elapsed(start, stop);
#else
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return round((double)milliseconds * 1e6); /* events tick in half microseconds */
#endif
}
