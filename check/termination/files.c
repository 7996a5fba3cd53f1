#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "check/termination/program.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct list {
    char **paths;
    unsigned count;
};

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length > of_end && strcmp(text + length - of_end, end) == 0;
}

static void collect(const char *folder, struct list *list, int depth)
{
    DIR *directory = opendir(folder);
    if (!directory)
        fail(EXIT_BAD_INPUT, "%s cannot be read: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[4096];
        if (*entry->d_name == '.')
            continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
            fail(EXIT_BAD_INPUT, "the name of a file is too long: %.40s...", path);
        if (ends_with(path, ".litmus")) {
            list->paths = with_room(list->paths, sizeof *list->paths, list->count, 1);
            list->paths[list->count++] = copy_text(path);
            /* the limit is for symbolic links, which may lead back to a folder above */
        } else if (is_folder(path) && depth < 16) {
            collect(path, list, depth + 1);
        }
    }
    closedir(directory);
}

char **progress_files(const char *folder, unsigned *count)
{
    struct list list = {NULL, 0};
    size_t length = strlen(folder);
    char *name = copy_text(folder);
    while (length > 1 && name[length - 1] == '/')
        name[--length] = '\0';
    collect(name, &list, 0);
    if (!list.count)
        fail(EXIT_BAD_INPUT, "%s has no .litmus files", folder);
    free(name);
    qsort(list.paths, list.count, sizeof *list.paths, compare_texts);
    *count = list.count;
    return list.paths;
}
