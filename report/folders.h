/* Finds folders of results: `make run` writes results/DEVICE, and results/reference/DEVICE is committed. */
#ifndef REPORT_FOLDERS_H
#define REPORT_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns all folders of results that can be read: first those in results/, then those in results/reference/,
 * both sorted by name. The caller frees the array and its texts. */
char **all_folders(size_t *count);

/* Returns whether the folder is in results/reference/. */
bool is_reference(const char *folder);

/* Writes into `path` the folder in which the figures and the page of these results are: plots/DEVICE, or
 * plots/reference/DEVICE for committed results. */
void plots_of(const char *folder, char *path, size_t bytes);

/* Returns the first folder that the last `gpusync run` has measured (results/.last names it), or NULL if
 * there is none. Exits with EXIT_BAD_INPUT if it is gone. The caller frees the text. */
char *last_folder(void);

/* Returns another committed folder (in results/reference/) than the given one: of the same device, or else of
 * the device that is nearest by compute capability and then by number of multiprocessors: a GPU for a GPU, a
 * machine for a machine. Exits with EXIT_BAD_INPUT if there is none. The caller frees the text. */
char *nearest_reference(const char *folder);

#endif
