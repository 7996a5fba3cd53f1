/* Opens and describes the device that a program measures: a CUDA GPU or the memory machine. */
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
    /* the device's name for folders: lower case, no blanks; a memory machine's name begins with "machine-" */
    char slug[256];
    int sm_count;
    int max_threads_per_block;
    int warp_size;
    int capability;  /* compute capability: 10 * major + minor */
    double clock_hz; /* clock rate; 0 means an abstract machine, which has no clock */
    bool machine;    /* the device is the memory machine, and not a GPU */
};

/* Opens the device that the options name. Exits with EXIT_CANNOT if there is none, and with EXIT_BAD_INPUT if
 * the name or another option for the device is wrong. */
void open_device(const struct options *options, struct device *out);

/* Closes the device. If the memory machine wrote a trace, the file is then complete. */
void close_device(void);

/* Returns whether the device is the memory machine, and not a GPU. */
bool device_is_machine(void);

/* Returns the number of GPUs; the memory machine counts as one. */
int device_count(void);

int device_max_threads_per_block(void);

/* Returns how many bytes of the device's memory are free; the memory machine has any number. */
size_t device_free_bytes(void);

/* Returns whether the device launches CUDA graphs or, with `programmatic`, graphs with programmatic dependent
 * launches. A memory machine may model a CUDA Toolkit that had no graphs. */
bool device_has_graphs(bool programmatic);

/* Returns whether a kernel may begin before the previous kernel has ended (programmatic dependent launch).
 * GPUs allow this since compute capability 9.0. */
bool device_has_programmatic_launch(void);

/* Returns whether instructions that request no memory take time. They take none on most memory machines that
 * model GPUs older than Volta. */
bool device_counts_instructions(void);

/* Returns whether a program can use the lock bits of Fermi's shared memory (Li 2015): on some memory
 * machines, but on no GPU. */
bool device_has_lock_bits(void);
/* Do copies between the host and the device take time? On a machine they may take none. */
bool device_times_copies(void);

/* Returns all facts about the device, for the result file. */
struct cJSON *describe_device(const struct device *device);

/* Measures the present clock rate of the multiprocessors, in Hz, by a kernel. Returns 0 on the memory
 * machine. */
double device_clock_hz(void);

/* Returns the time that the host takes for a launch, in time units, on a memory machine that can launch a
 * kernel while the previous one runs. Returns 0 on other machines and on a GPU. Also returns 0 in weak memory
 * or with a trace, because runs do not overlap there. */
double device_launch_time(void);

/* Cleans up after a failed attempt on a GPU: ends its capture of the stream and clears its error. */
void device_give_up(void);

/* Seeds the memory machine's schedule from the option's seed and the number of the run, counted from 0, so
 * that a point's times do not depend on what was measured before. Called before each run that is verified or
 * timed. */
void device_reset(unsigned run);

/* Prints the data races that the memory machine found since device_reset(0) to stderr, each line after the
 * label, and returns their number. Returns 0 without --races. */
size_t device_report_races(const char *label);

/* Counters of the memory machine: begin_counting sets them to zero, and add_counters adds them to the JSON of
 * a point, as "counters" and "intervals". */
void begin_counting(void);
void add_counters(struct cJSON *json);

/* Returns the unit of measured times: "ns" on a GPU, "time units" on the machine. */
const char *time_unit(void);

/* Returns the CUDA stream on which all work is enqueued. */
cudaStream_t harness_stream(void);

#ifdef __cplusplus
}
#endif

#endif
