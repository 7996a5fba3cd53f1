/* Times what is enqueued on harness_stream(), under a watchdog. */
#ifndef HARNESS_TIMER_H
#define HARNESS_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of the host's monotonic clock. */
double host_seconds(void);

/* How long what follows may take before the program ends with EXIT_DEADLOCK: on a GPU a wait, on the machine, whose
 * kernels run when they are launched, all until the next call. 0: 30 s on a GPU, any time on the machine. `what` is
 * named in the message. */
void watchdog_set(double seconds, const char *what);

/* Waits until the stream is empty, or ends the program when the watchdog's time is over. */
void wait_for_device(void);

void timer_start(void);

/* Waits for the work since timer_start and returns its time in time_unit(). */
double timer_stop(void);

#ifdef __cplusplus
}
#endif

#endif
