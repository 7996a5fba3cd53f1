/*
 * Finds folders of results by short names, from any current folder: results/DEVICE, which `make run` writes
 * below the current folder, and the committed results/reference/DEVICE, below the current folder or else of
 * the suite (suite_path, below).
 */
#ifndef REPORT_DEVICES_H
#define REPORT_DEVICES_H

#include "report/arguments.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the folder of results that a command's argument names. If the argument is an existing folder,
 * returns it. Otherwise the argument is a name: the last part of a folder's path, or some of the words in it,
 * such as "h100" or "nvidia-h100" for nvidia-h100-80gb-hbm3, and "h200-predicted" for nvidia-h200/predicted.
 * "reference/NAME" names committed results only. If a name fits several folders, a GPU's is preferred to a
 * model's, a model's to predictions for a GPU, and then this computer's results to committed ones; a line on
 * stderr names the choice. If a name fits no folder, exits with EXIT_BAD_INPUT and names similar ones; it
 * exits, too, if a file of the folder is broken. The text is never freed.
 */
const char *device_folder(const char *argument);

/* Replaces each of the words by its device_folder. */
void device_folders(int count, char **words);

/* Returns the folder that has the committed results: results/reference, if the current folder has it, or the
 * suite's. The text is never freed. */
const char *reference_folder(void);

/* The command `list`: prints a table of all devices that have results: short name, kind, the GPU's or
 * machine's name, date and revision of one of its results, number of its result files, and folder. */
int print_device_list(struct arguments *arguments, FILE *file);

/* Returns all folders of results that can be read: first those in results/, then those in results/reference/,
 * both sorted by name. */
struct texts all_folders(void);

/* Returns whether the folder is in results/reference/. */
bool is_reference(const char *folder);

/* Returns the folder in which the figures and the page of these results are, as a made text: plots/DEVICE, or
 * plots/reference/DEVICE for committed results. */
const char *plots_of(const char *folder);

/* Returns the first folder that the last `gpusync run` has measured (results/.last names it), or NULL if
 * there is none. Exits with EXIT_BAD_INPUT if it is gone. */
const char *last_folder(void);

/* Returns another committed folder (in results/reference/) than the given one, for a GPU a GPU's folder and
 * for a machine a machine's. It belongs to the same device or, if there is none, to the device that is
 * nearest by compute capability and then by number of multiprocessors. Exits with EXIT_BAD_INPUT if there is
 * no other folder. */
const char *nearest_reference(const char *folder);

/* ---- files of the suite, regardless of the current folder ---- */

/*
 * Returns the path of a file of the suite, such as results/papers/NAME.json or plots/NAME.gp, as a made text
 * (report/table.h). The file is looked for in this order: below $GPUSYNC_DATA, if that is set; in the tree
 * that holds the program's build folder, which an installation has, too; below the current folder.
 */
const char *suite_path(const char *path);

/* Returns the contents of a JSON file of the suite, which is found as by suite_path; exits with
 * EXIT_BAD_INPUT if it is absent or broken. */
cJSON *json_of_suite(const char *path);

#endif
