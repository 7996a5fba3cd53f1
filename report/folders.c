#include "report/folders.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/devices.h"
#include "report/results.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Adds to *folders the folders of devices' results that are in the folder `parent`. Nobody has named them, so
 * a folder with a broken file is left out, which is said if `tells` is true. */
static void add_folders(char ***folders, size_t *count, const char *parent, bool tells)
{
    size_t before = *count;
    struct dirent *entry;
    DIR *directory = opendir(parent);
    while (directory && (entry = readdir(directory))) {
        char path[4096];
        snprintf(path, sizeof path, "%.3000s/%s", parent, entry->d_name);
        if (!is_plain_name(entry->d_name) || strcmp(entry->d_name, "papers") == 0 ||
            strcmp(entry->d_name, "reference") == 0 || strcmp(entry->d_name, "bench") == 0 ||
            !is_folder(path))
            continue;
        const char *wrong = wrong_in_folder(path);
        if (wrong) {
            if (tells)
                warn("%s is left out: %s", path, wrong);
            continue;
        }
        *folders = with_room(*folders, sizeof **folders, *count, 1);
        (*folders)[(*count)++] = copy_text(path);
    }
    if (directory)
        closedir(directory);
    if (*count > before)
        qsort(*folders + before, *count - before, sizeof **folders, compare_texts);
}

char **all_folders(size_t *count)
{
    char **folders = NULL;
    *count = 0;
    add_folders(&folders, count, "results", true);
    add_folders(&folders, count, "results/reference", true);
    return folders;
}

bool is_reference(const char *folder)
{
    static const char parent[] = "reference/";
    const char *name = check_folder(folder);
    size_t before = (size_t)(name - folder), length = strlen(parent);
    return before >= length && strncmp(name - length, parent, length) == 0 &&
           (before == length || name[-(ptrdiff_t)length - 1] == '/');
}

void plots_of(const char *folder, char *path, size_t bytes)
{
    snprintf(path, bytes, "plots/%s%s", is_reference(folder) ? "reference/" : "", check_folder(folder));
}

/* ---- the nearest ---- */

/* Returns an arbitrary result of the folder, or NULL if the folder has none. */
static struct result *any_result(const char *folder)
{
    size_t count;
    struct result *r = NULL;
    char **names = result_names(folder, &count);
    for (size_t i = 0; i < count; i++) {
        if (!r && result_is_one(folder, names[i]))
            r = result_open(folder, names[i]);
        free(names[i]);
    }
    free(names);
    return r;
}

/* Returns how different two devices are, for the choice of the nearest; infinite if one is a GPU and the
 * other a machine. A difference of 1 in compute capability outweighs any difference in the number of
 * multiprocessors. */
static double distance(const struct result *a, const struct result *b)
{
    if (a->machine != b->machine)
        return INFINITY;
    double capability =
        fabs(number_of(a->device, "compute_capability") - number_of(b->device, "compute_capability"));
    return (isnan(capability) ? 0 : 1e4 * capability) + abs(a->sms - b->sms) +
           (strcmp(a->device_name, b->device_name) != 0 ? 0.5 : 0);
}

char *last_folder(void)
{
    char *text = file_text("results/.last");
    if (text)
        text[strcspn(text, "\n")] = '\0';
    char *folder = text && *text ? copy_text(device_folder(text)) : NULL;
    free(text);
    return folder;
}

char *nearest_reference(const char *folder)
{
    size_t count = 0;
    char **folders = NULL, *nearest = NULL;
    double least = INFINITY;
    add_folders(&folders, &count, reference_folder(), false);
    check_folder(folder);
    struct result *r = any_result(folder);
    if (!r)
        fail(EXIT_BAD_INPUT, "%s has no result", folder);
    for (size_t i = 0; i < count; i++) {
        struct result *other = is_same_file(folder, folders[i]) ? NULL : any_result(folders[i]);
        if (other && distance(r, other) < least) {
            least = distance(r, other);
            free(nearest);
            nearest = copy_text(folders[i]);
        }
        free(folders[i]);
    }
    free(folders);
    if (!nearest)
        fail(EXIT_BAD_INPUT, "results/reference has nothing that %s can be compared with", folder);
    return nearest;
}
