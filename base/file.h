/* Writes files completely or not at all: under a temporary name, which is renamed at the end. Devices and
 * pipes (/dev/stdout) are written directly. Also reads whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the path is a device, a pipe or a descriptor such as /dev/stdout, so that there is no file
 * to replace. */
bool file_is_special(const char *path);

struct new_file {
    char *path;
    char *temporary; /* name of the file until it is complete; NULL if the path is written directly */
    FILE *file;
};

/* Creates the missing folders above a file, as far as this is possible. */
void file_make_folders(const char *path);

/* Checks the file that --OPTION shall write, before anything is measured. Exits with EXIT_BAD_INPUT if it
 * cannot be written, is the same file as `input`, or exists (as a regular file) and `force` is false. `input`
 * may be NULL; then there is no input. Leaves no new file in the folder. */
void file_check_target(const char *option, const char *path, bool force, const char *input);

/* Writes a file: file_begin opens it under a temporary name, and file_finish gives it its own name. If not
 * everything could be written, file_finish exits with EXIT_BAD_INPUT and leaves no file. */
struct new_file file_begin(const char *path);
void file_finish(struct new_file *file);

/* Exits with EXIT_BAD_INPUT unless the path is a regular file that can be read. */
void file_check_input(const char *path);

/* Returns the whole content of a file, followed by a zero byte; the caller frees it. Returns NULL if there is
 * no such file. Exits with EXIT_BAD_INPUT if the file cannot be read. */
char *file_text(const char *path);

/* Returns whether the open file is the one with this name. It is not if another process has renamed or
 * removed it. */
bool file_has_name(int descriptor, const char *name);

/* Returns whether both paths lead to one existing file or folder. */
bool is_same_file(const char *a, const char *b);

/* Returns the 64-bit FNV-1a hash of a file's content, or 0 if the file cannot be read. */
uint64_t file_hash(const char *path);

#ifdef __cplusplus
}
#endif

#endif
