#include "base/file.h"
#include "base/failure.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Returns a temporary name of the file `path`. Processes that write the same file at the same time have
 * different names, with the numbers from 0 on; the next process replaces the file that a killed process
 * left. */
static char *temporary_name(const char *path, unsigned number)
{
    size_t bytes = strlen(path) + sizeof ".temporary" + 24;
    char *name = allocate(bytes);
    int used = snprintf(name, bytes, "%s.temporary", path);
    if (number)
        snprintf(name + used, bytes - (size_t)used, ".%u", number);
    return name;
}

bool file_has_name(int descriptor, const char *name)
{
    struct stat open, named;
    return fstat(descriptor, &open) == 0 && stat(name, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* most processes that write the same file at a time */
#define MOST_WRITERS 1000

/* Opens an empty temporary file of `path`, which no other process uses, and sets *name to its name. The file
 * is locked, and stays so until it is closed. Returns NULL if this is not possible. */
static FILE *open_temporary(const char *path, char **name)
{
    for (unsigned number = 0; number < MOST_WRITERS;) {
        *name = temporary_name(path, number);
        int descriptor = open(*name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        bool is_ours = descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        bool is_used = descriptor >= 0 && !is_ours && errno == EWOULDBLOCK;
        if (descriptor >= 0 && !is_used &&
            file_has_name(descriptor, *name)) /* some file systems have no locks */
            return ftruncate(descriptor, 0) == 0 ? fdopen(descriptor, "w") : NULL;
        int error = errno;
        free(*name);
        *name = NULL;
        if (descriptor < 0) {
            errno = error;
            return NULL;
        }
        close(descriptor);
        number += is_used;
    }
    return NULL;
}

void file_make_folders(const char *path)
{
    char *folder = copy_text(path);
    for (char *slash = strchr(folder + (*folder == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        /* An error is ignored: the folder exists already, or the file cannot be opened later. */
        mkdir(folder, 0777);
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
    if (strcmp(path, "-") == 0)
        fail(EXIT_BAD_INPUT, "--%s -: no file is named so; /dev/stdout is standard output", option);
    if (input && is_same_file(path, input))
        fail(EXIT_BAD_INPUT, "--%s %s would overwrite the input", option, path);
    if (file_is_special(path))
        return;
    if (exists && !S_ISREG(facts.st_mode))
        fail(EXIT_BAD_INPUT, "--%s: %s cannot be written: it is no file", option, path);
    if (exists && !force)
        fail(EXIT_BAD_INPUT, "%s exists; --force replaces it", path);
    char *name;
    FILE *file = open_temporary(path, &name);
    if (!file)
        fail(EXIT_BAD_INPUT, "--%s: %s cannot be written: %s", option, path, strerror(errno));
    unlink(name);
    fclose(file);
    free(name);
}

struct new_file file_begin(const char *path)
{
    struct new_file f = {copy_text(path), NULL, NULL};
    f.file = file_is_special(path) ? fopen(path, "w") : open_temporary(path, &f.temporary);
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
    /* as long as the file is open, its lock keeps other processes from using its temporary name */
    if (written && f->temporary) {
        written = rename(f->temporary, f->path) == 0;
        error = errno;
    }
    written = fclose(f->file) == 0 && written;
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
    uint64_t hash = HASH_OF_NOTHING;
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    while ((got = fread(buffer, 1, sizeof buffer, file)))
        hash = hash_add(hash, buffer, got);
    fclose(file);
    return hash;
}
