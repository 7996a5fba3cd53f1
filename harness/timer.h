/* Times what is enqueued on harness_stream(), under a watchdog. */
#ifndef HARNESS_TIMER_H
#define HARNESS_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of the host's monotonic clock. */
double host_seconds(void);

/*
 * Sets the time after which the program ends with EXIT_DEADLOCK and names `what` in its message. On a GPU the
 * limit is for each wait. On the machine, whose kernels run when they are launched, it is for everything
 * until the next call. 0 means 30 s on a GPU, and no limit on the machine.
 */
void watchdog_set(double seconds, const char *what);

/* Waits until the stream is empty, or ends the program when the watchdog's time is over. */
void wait_for_device(void);

/* Begins to time what is enqueued on harness_stream(). */
void timer_start(void);

/* Waits for the work since timer_start and returns its time in time_unit(). */
double timer_stop(void);

#ifdef __cplusplus
}
#endif

#endif
