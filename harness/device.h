/* The device that a program measures: a CUDA GPU or the memory machine. */
#ifndef HARNESS_DEVICE_H
#define HARNESS_DEVICE_H

#include "harness/platform.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;
struct options;

struct device {
    char name[256];
    char slug[256]; /* the name for folders: lower case, no blanks; the machine's begins with "machine-" */
    int sm_count;
    int max_threads_per_block;
    int warp_size;
    int capability; /* 10 * major + minor */
    double clock_hz;
    bool machine;
};

/* Opens the device that the options name. Exits with EXIT_CANNOT if there is none, EXIT_BAD_INPUT
 * for a bad name. */
void open_device(const struct options *options, struct device *out);

/* When all is measured: what the device wrote itself (a trace) is whole. */
void close_device(void);

/* The memory machine, and not a GPU? */
bool device_is_machine(void);

/* How many GPUs there are; a machine is one. */
int device_count(void);

int device_max_threads_per_block(void);

/* Does it launch CUDA graphs, with programmatic dependent launch? A machine may describe a toolkit
 * that had none. */
bool device_has_graphs(bool programmatic);

/* Kernels that may begin before the one before has ended: from compute capability 9.0 on. */
bool device_has_programmatic_launch(void);

/* Do instructions that are no requests take time? Not on machines of GPUs older than Volta, but for the GTX 280. */
bool device_counts_instructions(void);

/* Has its shared memory the lock bits of Fermi (Li 2015), and can a program use them? No GPU's can. */
bool device_has_lock_bits(void);

/* All facts about the device, for the result file. */
struct cJSON *describe_device(const struct device *device);

/* The multiprocessors' clock in Hz, now, measured by a kernel; the machine's never changes, and is 0 here. */
double device_clock_hz(void);

/* On a machine where a kernel is launched while the one before it runs: how long the host takes for a launch, in time units.
 * 0: not so there, or on a GPU, or runs are looked at one by one (weak memory, traces). */
double device_launch_time(void);

/* Appends what the driver tells of the device now: time, temperature, clocks, power. Nothing where it does not. */
void add_conditions(struct cJSON *conditions);

/* What the card takes now; NaN where the driver does not tell, and on the machine. */
double device_power_watts(void);

/* After an attempt that could not be measured: what it had begun on the stream is given up. */
void device_give_up(void);

/* Before a point's run: the machine's schedule is drawn from the seed and this number of the run (from 0) anew, so that
 * a point is the same whatever was measured before it. */
void device_reset(unsigned run);

/* Data races of the machine since device_reset(0); writes what there are to stderr behind the label, and
 * returns how many (--races). */
size_t device_report_races(const char *label);

/* What the machine counts from here on, and its counters since, as "counters" and "intervals" of a
 * point. */
void begin_counting(void);
void add_counters(struct cJSON *json);

/* A name for folders, with a prefix: lower-case letters, digits and dashes. */
void make_slug(const char *prefix, const char *name, char *slug, size_t bytes);

/* All facts about the host, for the result file. */
struct cJSON *describe_host(void);

/* The unit of measured times: "ns", or "time units" on the machine. */
const char *time_unit(void);

/* The stream that everything runs on. */
cudaStream_t harness_stream(void);

#ifdef __cplusplus
}
#endif

#endif
