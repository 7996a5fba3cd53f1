/* Result files (harness/result.h) for reading: a device's folder holds one for each program, with its sweeps. */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct result {
    char *path;             /* FOLDER/FILE.json, or FOLDER/FILE.json@SWEEP */
    cJSON *document, *json; /* the file, and the sweep in it */
    const cJSON *device, *parameters, *points;
    const char *experiment, *family; /* "steps", "batches", ...: enum family */
    const char *device_name;
    bool machine; /* predicted, not measured */
    double clock_hz;
    double us; /* microseconds in a time unit of the points */
    int sms;
};

/* Reads a file. NULL if it is absent; exits with EXIT_BAD_INPUT and one line if it is no result or
 * broken. */
struct result *result_read(const char *path);

/* FOLDER/NAME.json likewise, its main sweep; "NAME@SWEEP": this sweep; "NAME@SWEEP,OTHER": OTHER (which may be "main"),
 * if there is no SWEEP. `need`: exits if it is absent, and says what writes it. */
struct result *result_open(const char *folder, const char *name);
struct result *result_need(const char *folder, const char *name);

void result_close(struct result *result);

/* From now on each result is read once, whoever opens it, and none is closed: for a program that ends soon and
 * writes no results itself. */
void results_keep(void);

/* JSON of any kind: what the papers report, studies. Exits if it is absent or broken. */
cJSON *json_need(const char *path);

#define FOR_EACH_POINT(p, result) for (const cJSON *p = (result)->points->child; p; p = p->next)

/* A member that is a number, else NaN; that is a text, else "". Members of members:
 * "device.sm_count". */
double number_of(const cJSON *json, const char *path);
const char *text_of(const cJSON *json, const char *path);
bool is_true(const cJSON *json, const char *name);
bool is_false(const cJSON *json, const char *name);

bool point_is(const cJSON *point, const char *variant);

/* A loop without barriers, that others are held against: none, none-cold. */
bool is_baseline(const char *variant);

/* What a user would take otherwise, measured beside ours. */
bool is_library(const char *variant);

/* An algorithm of the step loops without any barrier: dataflow, dataflow-blocked. */
bool is_dataflow(const char *variant);

/* The first point of the variant with these numbers of blocks, threads, and size; -1: any. NULL:
 * none. */
const cJSON *result_point(const struct result *result, const char *variant, double blocks, double threads,
                          double size);

/* Is there FOLDER/NAME.json, and if it is a result, that sweep in it; and is it a result of this suite? */
bool has_file(const char *folder, const char *name);
bool result_is_one(const char *folder, const char *name);

/* Its JSON, whatever it is of; exits if it is absent or broken. */
cJSON *result_json(const char *folder, const char *name);

/* The names of its variants, in the order of the points; an array to be freed, its length in
 * *count. */
const char **result_variants(const struct result *result, size_t *count);
bool result_has(const struct result *result, const char *variant);

/* "measured" or "predicted". */
const char *how(const struct result *result);

/* The .json files of a folder, in the order of their names: NAME of each, and NAME@SWEEP of each further sweep of a
 * result, to be freed. None if there is no folder. */
char **result_names(const char *folder, size_t *count);

/* The files of a folder that are results of a family, in the order of their names: NAME of each, to
 * be freed. */
char **results_of_family(const char *folder, const char *family, size_t *count);

/* Small letters, digits, dots, dashes, and no dot first: what may become part of a file's name or of a command. */
bool is_plain_name(const char *name);

/* FOLDER is one, and its last component may name another folder: small letters, digits, dots,
 * dashes. Exits if not. Returns that component. */
const char *check_folder(const char *folder);

#endif
