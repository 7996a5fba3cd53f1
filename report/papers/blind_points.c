#include "report/papers/blind_points.h"
#include "base/memory.h"
#include "report/table.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the files of measurements: those of the folder's own batch, and those of the batches in its
 * subfolders. */
static glob_t measured_of(const char *folder, const char *card)
{
    glob_t found = {0};
    const char *const batches[] = {"", "*/"};
    for (size_t b = 0; b < 2; b++) {
        char pattern[512];
        snprintf(pattern, sizeof pattern, "%s/%smeasured/%s.tsv", folder, batches[b], card);
        glob(pattern, b ? GLOB_APPEND : 0, NULL, &found);
    }
    return found;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **blind_cards(const char *folder, size_t *count)
{
    glob_t found = measured_of(folder, "*");
    char **cards = allocate((found.gl_pathc + 1) * sizeof *cards);
    *count = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *card = copy_text(strrchr(found.gl_pathv[i], '/') + 1);
        card[strlen(card) - strlen(".tsv")] = '\0';
        size_t same = 0;
        while (same < *count && strcmp(cards[same], card) != 0)
            same++;
        if (same < *count || strstr(card, "-again"))
            free(card);
        else
            cards[(*count)++] = card;
    }
    globfree(&found);
    qsort(cards, *count, sizeof *cards, by_text);
    return cards;
}

/* Sets the point's program and kind. The table's row for the longest matching beginning of the point's name
 * counts; a beginning ends at a "-". */
static void classify(struct blind_point *point, const struct tsv *kinds)
{
    char *beginning = copy_text(point->name), *end = NULL;
    const struct tsv_row *row;
    while (!(row = tsv_find(kinds, beginning, 0)) && (end = strrchr(beginning, '-')))
        *end = '\0';
    point->program = copy_text(row ? row->cells[1] : point->name);
    point->kind = copy_text(row ? row->cells[2] : "other");
    free(beginning);
}

static int by_kind(const void *a, const void *b)
{
    const struct blind_point *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    order = order ? order : strcmp(x->program, y->program);
    return order ? order : strcmp(x->name, y->name);
}

static void add_batch(struct blind_points *points, const char *measured_file, const char *card,
                      const struct tsv *kinds)
{
    char batch[512];
    snprintf(batch, sizeof batch, "%.*s",
             (int)(strlen(measured_file) - strlen("/measured/.tsv") - strlen(card)), measured_file);
    char of_predicted[128], of_measured[128];
    snprintf(of_predicted, sizeof of_predicted, "predicted/%s", card);
    snprintf(of_measured, sizeof of_measured, "measured/%s", card);
    struct tsv predicted = tsv_read(batch, of_predicted), measured = tsv_read(batch, of_measured);
    for (size_t i = 0; i < measured.count; i++) {
        const struct tsv_row *m = &measured.rows[i], *p = tsv_find(&predicted, m->cells[0], 0);
        if (!p || !(tsv_number(p, 1) > 0))
            continue;
        points->all = with_room(points->all, sizeof *points->all, points->count, 1);
        struct blind_point *point = &points->all[points->count++];
        *point = (struct blind_point){.name = copy_text(m->cells[0]),
                                      .ratio = tsv_number(m, 1) / tsv_number(p, 1)};
        classify(point, kinds);
    }
    tsv_free(&predicted);
    tsv_free(&measured);
}

/* Reads kinds.tsv of the folder or, if it has none, of the nearest folder above that has one. */
static struct tsv kinds_of(const char *folder)
{
    char path[512], file[600];
    snprintf(path, sizeof path, "%s", folder);
    for (;;) {
        snprintf(file, sizeof file, "%s/kinds.tsv", path);
        char *last = strrchr(path, '/');
        if (access(file, F_OK) == 0 || !last)
            return tsv_read(path, "kinds");
        *last = '\0';
    }
}

struct blind_points blind_points_of(const char *folder, const char *card)
{
    struct blind_points points = {0};
    struct tsv kinds = kinds_of(folder);
    glob_t found = measured_of(folder, card);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_batch(&points, found.gl_pathv[i], card, &kinds);
    globfree(&found);
    tsv_free(&kinds);
    qsort(points.all, points.count, sizeof *points.all, by_kind);
    return points;
}
