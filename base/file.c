#include "base/file.h"
#include "base/failure.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* largest number of temporary files at a time; a program that fails removes its temporary files when it
 * exits */
#define MOST_UNFINISHED 16
static char *unfinished[MOST_UNFINISHED];

static void remove_unfinished(void)
{
    for (size_t i = 0; i < MOST_UNFINISHED; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
}

/* Replaces the name `before` by `now` in the list of temporary files that are not complete. NULL stands for a
 * free place of the list: as `before` it adds `now`, and as `now` it removes `before`. */
static void note_unfinished(const char *before, char *now)
{
    static bool registered;
    if (!registered)
        atexit(remove_unfinished);
    registered = true;
    for (size_t i = 0; i < MOST_UNFINISHED; i++)
        if (unfinished[i] == before) {
            unfinished[i] = now;
            return;
        }
}

bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Returns whether the path is the name of an open descriptor, such as /dev/stdout. The descriptor may be a
 * regular file, but a new file with this name would replace the name, not the content. */
static bool is_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/std", "/dev/fd/", "/proc/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

bool file_is_special(const char *path)
{
    struct stat facts;
    return is_descriptor(path) ||
           (stat(path, &facts) == 0 && (S_ISCHR(facts.st_mode) || S_ISFIFO(facts.st_mode)));
}

/* Returns the temporary name of the file `path`. The name depends on the path alone, so that the next process
 * replaces the file that a killed process left. */
static char *temporary_name(const char *path)
{
    size_t bytes = strlen(path) + sizeof ".temporary";
    char *name = allocate(bytes);
    snprintf(name, bytes, "%s.temporary", path);
    return name;
}

void file_make_folders(const char *path)
{
    char *folder = copy_text(path);
    for (char *slash = strchr(folder + (*folder == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777); /* fails if it is there, which is right, or else the file cannot be written */
        *slash = '/';
    }
    free(folder);
}

void file_check_target(const char *option, const char *path, bool force, const char *input)
{
    struct stat facts;
    bool exists = stat(path, &facts) == 0;
    if (!*path)
        fail(EXIT_BAD_INPUT, "--%s names no file", option);
    if (input && is_same_file(path, input))
        fail(EXIT_BAD_INPUT, "--%s %s would overwrite the input", option, path);
    if (file_is_special(path))
        return;
    if (exists && !S_ISREG(facts.st_mode))
        fail(EXIT_BAD_INPUT, "--%s: %s cannot be written: it is no file", option, path);
    if (exists && !force)
        fail(EXIT_BAD_INPUT, "%s exists; --force replaces it", path);
    char *name = temporary_name(path);
    FILE *file = fopen(name, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "--%s: %s cannot be written: %s", option, path, strerror(errno));
    fclose(file);
    unlink(name);
    free(name);
}

struct new_file file_begin(const char *path)
{
    struct new_file f = {copy_text(path), file_is_special(path) ? NULL : temporary_name(path), NULL};
    f.file = fopen(f.temporary ? f.temporary : f.path, "w");
    if (!f.file)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    if (f.temporary)
        note_unfinished(NULL, f.temporary);
    return f;
}

void file_finish(struct new_file *f)
{
    bool written = !ferror(f->file) && fflush(f->file) == 0;
    if (written && f->temporary)
        written = fsync(fileno(f->file)) == 0;
    int error = errno;
    written = fclose(f->file) == 0 && written;
    if (written && f->temporary) {
        written = rename(f->temporary, f->path) == 0;
        error = errno;
    }
    if (!written)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", f->path, strerror(error));
    if (f->temporary)
        note_unfinished(f->temporary, NULL);
    free(f->path);
    free(f->temporary);
}

void file_check_input(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || access(path, R_OK) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        fail(EXIT_BAD_INPUT, "%s cannot be read: it is no file", path);
}

char *file_text(const char *path)
{
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return NULL;
    file_check_input(path);
    FILE *file = fopen(path, "rb");
    size_t length = 0, got;
    char *text = NULL;
    if (file)
        do {
            text = reallocate(text, length + 65537);
            got = fread(text + length, 1, 65536, file);
            text[length += got] = '\0';
        } while (got);
    if (!file || ferror(file))
        fail(EXIT_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    fclose(file);
    return text;
}

uint64_t file_hash(const char *path)
{
    unsigned char buffer[65536];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    while ((got = fread(buffer, 1, sizeof buffer, file)))
        for (size_t i = 0; i < got; i++)
            hash = (hash ^ buffer[i]) * UINT64_C(0x100000001b3);
    fclose(file);
    return hash;
}
