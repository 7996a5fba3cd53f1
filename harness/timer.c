#include "harness/timer.h"
#include "harness/device.h"
#include "harness/check.h"
#include "base/failure.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define USUAL_LIMIT 30
static double limit_s = USUAL_LIMIT;
static char guarded[256] = "the device";
static cudaEvent_t start, stop;

static void __attribute__((noreturn)) time_is_over(void)
{
    fail(EXIT_DEADLOCK, "%s did not end within %g s: deadlock, or a longer --timeout is needed", guarded,
         limit_s);
}

#ifdef GPUSYNC_MACHINE
/* Ends the program when the watchdog's time is over. It calls functions that are not safe in a signal
 * handler, which is harmless because the process ends here. */
static void on_alarm(int number)
{
    (void)number;
    time_is_over();
}

/* Starts the alarm. Its signal handler gets a stack of its own, because the stack of a lane of the memory
 * machine is too small to print a message. */
static void set_alarm(unsigned seconds)
{
    static char stack_memory[65536];
    const stack_t stack = {.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
    if (seconds && (sigaltstack(&stack, NULL) != 0 || sigaction(SIGALRM, &action, NULL) != 0))
        fail(EXIT_CANNOT, "no alarm for --timeout");
    alarm(seconds);
}
#endif

void watchdog_set(double seconds, const char *what)
{
    limit_s = seconds > 0 ? seconds : USUAL_LIMIT;
    snprintf(guarded, sizeof guarded, "%s", what);
#ifdef GPUSYNC_MACHINE
    set_alarm((unsigned)seconds);
#endif
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
            time_is_over();
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
    /* rounds to whole nanoseconds, because CUDA events tick only every 500 ns */
    return round((double)milliseconds * 1e6);
#endif
}
