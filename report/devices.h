/*
 * Finds folders of results by short names, from any current folder: results/DEVICE, which `make run` writes
 * below the current folder, and the committed results/reference/DEVICE, below the current folder or else of
 * the suite (report/suite_path.h).
 */
#ifndef REPORT_DEVICES_H
#define REPORT_DEVICES_H

#include "report/table.h"

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

/* Prints a table of all devices that have results: short name, kind, the GPU's or machine's name, date and
 * revision of one of its results, number of its result files, and folder. */
void print_device_list(enum form form, FILE *file);

#endif
