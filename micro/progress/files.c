#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "micro/progress/program.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_program(const FTSENT *entry)
{
    size_t length = strlen(entry->fts_name);
    return length > 7 && strcmp(entry->fts_name + length - 7, ".litmus") == 0;
}

char **progress_files(const char *path, unsigned *count)
{
    char *root = copy_text(path), **paths = NULL;
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/')
        root[--length] = '\0';
    FTS *walk = fts_open((char *[]){root, NULL}, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        fail(EXIT_CANNOT, "%s: %s", path, strerror(errno));
    *count = 0;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        bool is_root = entry->fts_level == FTS_ROOTLEVEL;
        if (entry->fts_info == FTS_DNR)
            fail(EXIT_BAD_INPUT, "%s cannot be read: %s", entry->fts_path, strerror(entry->fts_errno));
        if (entry->fts_info == FTS_DP)
            continue;
        if (*entry->fts_name == '.' && !is_root)
            fts_set(walk, entry, FTS_SKIP);
        else if (is_root ? entry->fts_info != FTS_D : is_program(entry)) {
            paths = with_room(paths, sizeof *paths, *count, 1);
            paths[(*count)++] = copy_text(entry->fts_path);
        }
    }
    fts_close(walk);
    if (!*count)
        fail(EXIT_BAD_INPUT, "%s has no .litmus files", path);
    free(root);
    qsort(paths, *count, sizeof *paths, compare_texts);
    return paths;
}
