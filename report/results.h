/* Reads result files (harness/result.h). The folder of a device has one file for each program, with all
 * sweeps of it. */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct result {
    char *path;             /* FOLDER/FILE.json or FOLDER/FILE.json@SWEEP */
    cJSON *document, *json; /* the JSON of the whole file, and of the sweep in it */
    const cJSON *device, *parameters, *points;
    /* the names of the experiment and of its family: "steps", "batches", ... */
    const char *experiment, *family;
    const char *device_name;
    bool machine; /* the times were predicted by the memory machine, not measured on a GPU */
    double clock_hz;
    double us; /* one time unit of the points in microseconds */
    int sms;
};

/* Reads a result file. Returns NULL if the file is absent; exits with EXIT_BAD_INPUT if it is broken or not a
 * result. */
struct result *result_read(const char *path);

/* Opens a result of a folder. NAME is the main sweep of FOLDER/NAME.json, NAME@SWEEP another sweep of this
 * file, and NAME@SWEEP,OTHER the sweep OTHER if there is no SWEEP; OTHER may be "main". If the result is
 * absent, result_open returns NULL, and result_need exits and says which command writes it. */
struct result *result_open(const char *folder, const char *name);
struct result *result_need(const char *folder, const char *name);

void result_close(struct result *result);

/* Keeps each result in memory from now on, so that it is read only once; result_close then does nothing.
 * This is meant for a program that ends soon and writes no results. */
void results_keep(void);

/* Reads any JSON object, for example results/papers/NAME.json. Exits with EXIT_BAD_INPUT if the file is
 * absent or broken. */
cJSON *json_need(const char *path);

#define FOR_EACH_POINT(p, result) for (const cJSON *p = (result)->points->child; p; p = p->next)

/* Returns a member of the object, or NULL if it has none of this name. A path such as "device.sm_count"
 * leads to members of members. */
const cJSON *member_of(const cJSON *json, const char *path);

/* number_of returns the member at the path if it is a number, else NaN; text_of returns it if it is a text,
 * else "". */
double number_of(const cJSON *json, const char *path);
const char *text_of(const cJSON *json, const char *path);
bool is_true(const cJSON *json, const char *name);
bool is_false(const cJSON *json, const char *name);

bool point_is(const cJSON *point, const char *variant);

/* Whether the variant is a loop without barriers, with which others are compared: none or none-cold. */
bool is_baseline(const char *variant);

/* Whether the variant is a library that solves the same problem, such as cuFFT or CUB. */
bool is_library(const char *variant);

/* Whether the variant solves the problem without any barrier: dataflow or dataflow-blocked. */
bool is_dataflow(const char *variant);

/* Returns the first point of the variant with these numbers of blocks and threads and this size, or NULL
 * if there is none. -1 stands for any number and any size. */
const cJSON *result_point(const struct result *result, const char *variant, double blocks, double threads,
                          double size);

/* has_file: whether the folder has the file of this name and, if it is a result, the sweep. result_is_one:
 * whether that is a result of this suite. */
bool has_file(const char *folder, const char *name);
bool result_is_one(const char *folder, const char *name);

/* Reads FOLDER/NAME.json, which need not be a result. Exits with EXIT_BAD_INPUT if it is absent or broken. */
cJSON *result_json(const char *folder, const char *name);

/* Returns the names of the result's variants in the order of the points. The caller frees the array, which
 * has *count elements. */
const char **result_variants(const struct result *result, size_t *count);
bool result_has(const struct result *result, const char *variant);

/* Returns "measured" for a result of a GPU, "predicted" for one of the memory machine. */
const char *how(const struct result *result);

/* Returns the names of all .json files of a folder, sorted: NAME for each file and NAME@SWEEP for each
 * further sweep. There are none if the folder is absent. The caller frees the array and the names. */
char **result_names(const char *folder, size_t *count);

/* Returns the sorted names of the files of a folder that are results of this family. The caller frees the
 * array and the names. */
char **results_of_family(const char *folder, const char *family, size_t *count);

/* Whether the name may become part of a file name or a command: it has only small letters, digits, dots,
 * dashes and underscores, and does not begin with a dot. */
bool is_plain_name(const char *name);

/* Checks that the folder exists and that its last component is a plain name, because it becomes part of
 * other paths. Exits with EXIT_BAD_INPUT otherwise. Returns the last component. */
const char *check_folder(const char *folder);

#endif
