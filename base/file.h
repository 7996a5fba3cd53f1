/*
 * Files that are written completely or not at all: under a temporary name, then renamed. Devices and pipes
 * (/dev/stdout) are written directly.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The path is a device or a pipe: there is no file to replace. */
bool file_is_special(const char *path);

struct new_file {
    char *path, *temporary; /* NULL: written as it is */
    FILE *file;
};

/*
 * Called before anything is measured: exits with EXIT_BAD_INPUT if the target of --OPTION exists and may not
 * be replaced, is the input (`input`: NULL if there is none), or cannot be written. Leaves no file behind.
 */
void file_check_target(const char *option, const char *path, bool force, const char *input);

/* Begins to write. The file appears under its name when file_finish is called, which exits with
 * EXIT_BAD_INPUT, and leaves no file behind, if not everything could be written. */
struct new_file file_begin(const char *path);
void file_finish(struct new_file *file);

/* Exits with EXIT_BAD_INPUT at once if the path is no file that can be read from its beginning to its end. */
void file_check_input(const char *path);

/* The whole content of a file, followed by a NUL, to be freed by the caller; NULL if there is no such file. Exits
 * with EXIT_BAD_INPUT if it cannot be read. */
char *file_text(const char *path);

/* The 64-bit FNV-1a hash of a file's content; 0 if the file cannot be read. */
uint64_t file_hash(const char *path);

#ifdef __cplusplus
}
#endif

#endif
