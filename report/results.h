/* Reads result files (harness/result.h). The folder of a device has one file for each program, with all the
 * program's sweeps. Each file is read once, and stays in memory until results_forget(). */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "report/table.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* The points of one variant, in the order of the file. */
struct points_of_variant {
    const char *variant;
    const cJSON **points;
    size_t count;
};

struct result {
    char *path;        /* where the result was read: FOLDER/FILE.json or FOLDER/FILE.json@SWEEP */
    const cJSON *json; /* the JSON of the sweep */
    const cJSON *device, *parameters, *points;
    /* the name of the experiment, and the name of its family ("steps", "batches", ...) */
    const char *experiment, *family;
    const char *device_name;
    bool machine; /* the times were predicted by the memory machine, not measured on a GPU */
    double clock_hz;
    double us; /* length of the points' time unit in microseconds */
    int sms;
    double largest_size; /* largest size of all points; 0 if there are no points */
    /* the points by variant, in the order in which the variants first occur */
    struct points_of_variant *variants;
    size_t variant_count;
};

/* Returns the main sweep of a result file. Returns NULL if the file is absent; exits with EXIT_BAD_INPUT if
 * it is broken or not a result. */
struct result *result_read(const char *path);

/*
 * Opens a result of a folder. The name NAME stands for the main sweep of FOLDER/NAME.json, NAME@SWEEP for
 * another sweep of this file, and NAME@SWEEP,OTHER for the sweep SWEEP or, if the file lacks it, OTHER, which
 * may be "main". If the result is absent, result_open returns NULL, and result_need exits and says which
 * command writes it.
 */
struct result *result_open(const char *folder, const char *name);
struct result *result_need(const char *folder, const char *name);

/* Frees everything that has been read; none of it may be used afterwards. */
void results_forget(void);

/* These functions return the JSON of a file that holds an object. json_need
 * exits with EXIT_BAD_INPUT if the file is absent or broken; json_read then returns NULL. json_beside reads
 * FOLDER/NAME.json, and returns NULL if the file is absent or a result of the suite. */
cJSON *json_need(const char *path);
cJSON *json_read(const char *path);
cJSON *json_beside(const char *folder, const char *name);

#define FOR_EACH_VARIANT(v, result)                                                                          \
    for (const struct points_of_variant *v = (result)->variants;                                             \
         v < (result)->variants + (result)->variant_count; v++)
#define FOR_EACH_POINT(p, result) for (const cJSON *p = (result)->points->child; p; p = p->next)

/* Returns the member of the object at this path, or NULL if there is none. The path is a name, or names of
 * nested members, such as "device.sm_count"; elements of an array are numbered from 0, as in "ci95.1". */
const cJSON *member_of(const cJSON *json, const char *path);

/* number_of returns the member at the path if it is a number, else NaN. text_of returns the member if it is a
 * text, else "". */
double number_of(const cJSON *json, const char *path);
const char *text_of(const cJSON *json, const char *path);
bool is_true(const cJSON *json, const char *name);
bool is_false(const cJSON *json, const char *name);

bool point_is(const cJSON *point, const char *variant);

/* Returns whether the variant is a loop without barriers (none or none-cold), with which others are
 * compared. */
bool is_baseline(const char *variant);

/* Returns whether the variant is a library that solves the same problem, such as cuFFT or CUB. */
bool is_library(const char *variant);

/* Returns whether the variant solves the problem without any barrier: dataflow or dataflow-blocked. */
bool is_dataflow(const char *variant);

/* Returns the first point of the variant with these numbers of blocks and threads and this size, or NULL if
 * there is none. -1 stands for any number or any size. */
const cJSON *result_point(const struct result *result, const char *variant, double blocks, double threads,
                          double size);

/* has_file returns whether the folder has the file FILE.json for a name FILE or FILE@SWEEP and, if this is a
 * result, whether it has the sweep. result_is_one returns whether it is a result of this suite, too. */
bool has_file(const char *folder, const char *name);
bool result_is_one(const char *folder, const char *name);

bool result_has(const struct result *result, const char *variant);

/* Returns whether the variant gave wrong answers, at points whose order the memory model does not
 * guarantee. */
bool gave_wrong_answers(const struct result *result, const char *variant);

/* Returns the value of the option --extent in the command that measured the result, such as "quick" or
 * "full", or "" if it has none. */
const char *result_extent(const struct result *result);

/* Returns "measured" for a result of a GPU, and "predicted" for a result of the memory machine. */
const char *how(const struct result *result);

/* Returns what is wrong with the first broken .json file of the folder or of its folder predicted/, in a line
 * that names the file, or NULL. The text is valid until the next result is read. */
const char *wrong_in_folder(const char *folder);

/* Returns the names of a folder's entries, sorted; there are none if the folder is absent. */
struct texts entries_of(const char *folder);

/* Returns the names of all .json files of a folder, sorted: NAME for each file, and NAME@SWEEP for each of
 * its sweeps besides the main one. */
struct texts result_names(const char *folder);

/* Returns the folder's first result by name, or NULL if it has none. */
struct result *first_result(const char *folder);

/* Returns the sorted names of a folder's results whose experiments belong to this family. The names do not
 * have sweeps. A result may have no main sweep. */
struct texts results_of_family(const char *folder, const char *family);

/* Returns whether the name may become part of a file name or a command: whether it has only small letters,
 * digits, dots, dashes and underscores, and does not begin with a dot. */
bool is_plain_name(const char *name);

/* Returns the last component of a folder's path. Exits with EXIT_BAD_INPUT unless the folder exists and the
 * component is a plain name (is_plain_name), because it becomes part of other paths. */
const char *check_folder(const char *folder);

/* ---- report/timing.c ---- */

/*
 * Times of points; no other file computes times from the members of a result.
 *
 * A run of a micro-benchmark (micro-*) repeats one operation, and launches are repeated less often than
 * barriers. Therefore variants of a micro-benchmark are compared by the time of one operation. A run of any
 * other program solves one problem, in any number of steps, and variants are compared by the time of the run.
 */

/* A median in microseconds and its 95 % interval; NaN if nothing was measured. */
struct timing {
    double us, low, high;
};

/* run_time returns the time of a run of the point, and operation_time the time of one operation.
 * compared_time returns the one by which the experiment's variants are compared. `point` may be NULL; then
 * the time is NaN. */
struct timing run_time(const struct result *result, const cJSON *point);
struct timing operation_time(const struct result *result, const cJSON *point);
struct timing compared_time(const struct result *result, const cJSON *point);

/* Returns whether `size` in this experiment's points is a number of repetitions and not the size of a
 * problem. The function has a list of the experiments that set size_repeats (harness/experiment.h), because
 * results do not tell. */
bool size_counts_repetitions(const struct result *result);

/* Returns the median time of a run in the unit of the point: nanoseconds, cycles or time units.
 * run_as_measured also returns its interval, in the same unit. */
double run_in_units(const cJSON *point);
struct timing run_as_measured(const cJSON *point);

/* time_scaled returns factor * time, time_beyond returns time - baseline, and time_ratio returns time /
 * other. The result's interval spans all values that the intervals of both times allow. */
struct timing time_scaled(struct timing time, double factor);
struct timing time_beyond(struct timing time, struct timing baseline);
struct timing time_ratio(struct timing time, struct timing other);

/* run_us returns the median time of a run, in microseconds, for the first point of the variant with this
 * number of blocks and this size. operation_us returns the median time of one operation, in microseconds, for
 * the first point with this number of blocks and any size. -1 stands for any number of blocks or any size. */
double run_us(const struct result *result, const char *variant, double blocks, double size);
double operation_us(const struct result *result, const char *variant, double blocks);

/* Returns the time of one operation of the point, less the time of one iteration of the loop without barriers
 * with as many blocks and threads. For micro-barrier this is the time of one barrier. */
struct timing barrier_time(const struct result *result, const cJSON *point);

/* Returns the fastest point of the variant with this size, or NULL if it has none. -1 stands for any size. */
const cJSON *fastest_of(const struct result *result, const char *variant, double size);

/* Returns the variant's point with the largest size, the first of several, or NULL if it has none. */
const cJSON *largest_of(const struct result *result, const char *variant);

/* Returns the fastest point for which wanted() is true, with this number of blocks and this size, or NULL if
 * there is none. -1 stands for any number of blocks or any size. */
const cJSON *fastest_point(const struct result *result, double blocks, double size,
                           bool (*wanted)(const cJSON *point));

/* By what factor a time must be longer than another one to count as longer; less is a tie. */
#define BETTER 1.01

/*
 * Returns the smallest number of blocks from which on variant `a` takes longer than variant `b`, provided
 * that `a` is faster at some smaller number. Times count as different if their intervals do not overlap and
 * one is longer than the other by the factor BETTER.
 * INFINITY means that there is no such number; -INFINITY means that `a` takes longer at some number and is
 * never faster.
 */
double crossing_at(const struct result *result, const char *a, const char *b);

/* is_ordered_barrier returns whether the point measures a grid barrier within a kernel that the memory model
 * guarantees to order memory, and whose results were right. is_launch returns whether the point measures a
 * method that ends the kernel at each barrier. */
bool is_ordered_barrier(const cJSON *point);
bool is_launch(const cJSON *point);

#endif
