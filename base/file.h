/*
 * Files that are written whole or not at all: under a temporary name, then renamed. Devices and pipes
 * (/dev/stdout) are written as they are.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device or a pipe: there is nothing to replace. */
bool file_is_special(const char *path);

struct new_file {
    char *path, *temporary; /* NULL: written as it is */
    FILE *file;
};

/*
 * Before anything is measured: exits with EXIT_BAD_INPUT if the target of --OPTION exists and may not be
 * replaced, is the input (`input`: NULL if there is none), or cannot be written where it is. Leaves
 * nothing behind.
 */
void file_check_target(const char *option, const char *path, bool force, const char *input);

/* Begins to write; the file appears under its name with file_finish, which exits with EXIT_BAD_INPUT, and
 * leaves nothing behind, if not all of it could be written. */
struct new_file file_begin(const char *path);
void file_finish(struct new_file *file);

/* Exits with EXIT_BAD_INPUT, at once, if this is no file that can be read from its beginning to its end. */
void file_check_input(const char *path);

/* All of a file, NUL behind it, to be freed; NULL if there is none. Exits with EXIT_BAD_INPUT if it cannot be read. */
char *file_text(const char *path);

/* FNV-1a of 64 bits of a file's content; 0 if it cannot be read. */
uint64_t file_hash(const char *path);

#ifdef __cplusplus
}
#endif

#endif
