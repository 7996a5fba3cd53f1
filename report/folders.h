/* Which folders of results there are: results/DEVICE as `make run` writes them, results/reference/DEVICE committed. */
#ifndef REPORT_FOLDERS_H
#define REPORT_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* All of them, in the order of their names, those of this machine first; an array of texts, both to be freed. */
char **all_folders(size_t *count);

/* Is it one of results/reference/? */
bool is_reference(const char *folder);

/* Where a folder's figures and page go: plots/DEVICE, or plots/reference/DEVICE of a committed one. */
void plots_of(const char *folder, char *path, size_t bytes);

/* The committed folder of the same device, else of the nearest one: of the same kind, by compute capability, then by
 * multiprocessors. Exits with EXIT_BAD_INPUT if there is none. To be freed. */
char *nearest_reference(const char *folder);

#endif
