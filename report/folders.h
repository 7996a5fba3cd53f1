/* Folders of results: `make run` writes results/DEVICE, and results/reference/DEVICE is committed. */
#ifndef REPORT_FOLDERS_H
#define REPORT_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns all folders of results: those in results/ first, then those in results/reference/, each part
 * sorted. The caller frees the array and its texts. */
char **all_folders(size_t *count);

/* Whether the folder is in results/reference/. */
bool is_reference(const char *folder);

/* Writes the folder that the figures and the page go to into `path`: plots/DEVICE, or
 * plots/reference/DEVICE. */
void plots_of(const char *folder, char *path, size_t bytes);

/* Returns the committed folder of the same device, or else of the nearest device of the same kind, by
 * compute capability and then by multiprocessors. Exits with EXIT_BAD_INPUT if there is none. The caller
 * frees the text. */
char *nearest_reference(const char *folder);

#endif
