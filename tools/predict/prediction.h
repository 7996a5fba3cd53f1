/* The results of gpusync-predict for the program's kernels. The program runs in a process of its own and
 * writes them into memory that it shares with the tool, so that the tool can print them even if the program
 * crashes. */
#ifndef CHECK_PREDICTION_H
#define CHECK_PREDICTION_H

#include "tools/predict/spending.h"
#include "machine/machine.h"

#include <signal.h>

/* All launches of one kernel that have the same number of blocks and of threads. */
struct launches {
    struct machine_launched first;
    unsigned long long count;
    struct time_parts time; /* total time of these launches, in time units of the machine */
    struct taken taken;
    double warps; /* number of these launches' warps whose time was noted */
};

#define MOST_LAUNCHES 16384 /* largest number of entries; later kernels are counted in `untold` */

#define MOST_TIMES 16 /* largest number of times between events of the program that are told */

struct prediction {
    size_t count;              /* number of entries in `all` */
    unsigned long long ended;  /* number of launches that have ended */
    uint64_t began, end;       /* times at which the first launch began and the last one ended */
    unsigned long long untold; /* number of launches of kernels for which `all` has no room */
    bool is_in_kernel;         /* was a kernel in progress when `under_way` was written? */
    struct machine_way under_way;
    /* where the threads were when the program was ended, with marks in place of lines; "" if this is not
     * known */
    char standing[4096];
    char hang[6144]; /* why a kernel never ends, with marks in place of lines; "" if none is known */
    struct launches all[MOST_LAUNCHES];
    size_t measured_count; /* number of times between events for which the program has asked */
    struct time_parts measured[MOST_TIMES];
    struct not_modelled not_modelled;
    struct machine_left_out left_out; /* the calls that were skipped, when the program had ended */
    struct spending spending;
};

/* How far predictions were from measurements, for points with one bottleneck. */
struct error_interval {
    double low, high; /* 80 % of the measured times were between these multiples of their predictions */
    int points;
    int inside; /* number of points inside the interval that results from the points of all other programs */
};

/* The errors of the predictions of tools/blind/later/preset/. */
struct prediction_error {
    const char *device;
    struct error_interval of[BOTTLENECKS + 1]; /* for each bottleneck; the last is for all points */
    /* 80 % of the measured ratios of two points of one program were between 1 / factor and factor times the
     * predicted ratio; 0 if there are no pairs */
    double factor;
    int pairs;
};

/* Returns the error for the preset, or NULL if no prediction for it has been measured. The build makes this
 * function from the tables in tools/blind/later/preset/ (scripts/embed-errors). */
const struct prediction_error *prediction_error(const char *device);

/* Signals of the tool to the program's process: TELL asks it to write `under_way`. A program that does not
 * know the signal ignores it. END_NOW asks it to write `standing`, too, and to end. */
#define TELL SIGURG
#define END_NOW SIGXCPU

/* Returns memory for a prediction that forked processes share. */
struct prediction *prediction_new(void);

/* The user's requests in addition to the kernels' times. */
struct prediction_asked {
    bool lines;           /* the tables of machine/time_spent.h */
    const char *timeline; /* the file for a timeline, or NULL */
};

/* Fills in the prediction from now on. Called in the program's process. prediction_ends() is called when the
 * program has ended. */
void prediction_ends(void);
void prediction_note(struct prediction *into, const struct prediction_asked *asked);

/* Prints what is known about all launches to standard error. `units_per_us` is the number of the machine's
 * time units in a microsecond. If `is_whole` is false, the program was ended, and the function also prints
 * where it was. */
void prediction_print(const struct prediction *of, const char *device, double units_per_us, bool is_whole);

/* Prints a line for --compare and --blocks of scripts/gpusync-predict: the time in microseconds from the
 * first launch's begin to the last one's end, the factor of struct prediction_error and its number of
 * pairs, the interval, and what limits the time. Numbers that are not known are 0. */
void prediction_print_total(const struct prediction *of, const char *device, double units_per_us);

/* Prints why a kernel never ends, with the lines that gpusync-check names. */
void prediction_print_hang(const struct prediction *of);

/* Prints the tables of all kernels. */
void prediction_print_lines(const struct prediction *of, double units_per_us);

/* Writes the progress of the kernel that is running: "sum, 64 x 256: 3 of 64 blocks have ended, 12.4 us". */
void prediction_describe(const struct prediction *of, double units_per_us, char *text, size_t size);

#endif
