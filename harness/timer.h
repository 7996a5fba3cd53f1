/* Times the work on harness_stream(). A watchdog ends the program if the work takes too long. */
#ifndef HARNESS_TIMER_H
#define HARNESS_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the time of the host's monotonic clock, in seconds. */
double host_seconds(void);

/* Sets the time after which the program ends with EXIT_DEADLOCK and a message that names `what`. On a GPU
 * the time limits each wait for the device. On the memory machine, whose kernels run when they are
 * launched, it limits everything until the next call of this function. 0 means 30 s on a GPU, and no limit
 * on the machine. */
void watchdog_set(double seconds, const char *what);

/* Waits until harness_stream() is empty, or ends the program when the watchdog's time is over. */
void wait_for_device(void);

/* Begins to time the work that is enqueued on harness_stream() from now on. */
void timer_start(void);

/* Waits for the work that was enqueued since timer_start, and returns its time in time_unit(). */
double timer_stop(void);

#ifdef __cplusplus
}
#endif

#endif
