#include "report/compare_notes.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A sentence about a condition, and the results for which it holds. */
struct note {
    char text[256];
    char results[256]; /* names of these results, as many as fit */
    size_t count;
};

struct notes {
    struct note *rows;
    size_t count;
};

static void add_note(struct notes *notes, const char *result, const char *text)
{
    size_t i = 0, used;
    while (i < notes->count && strcmp(notes->rows[i].text, text) != 0)
        i++;
    if (i == notes->count) {
        notes->rows = with_room(notes->rows, sizeof *notes->rows, notes->count, 1);
        notes->rows[notes->count] = (struct note){.count = 0};
        snprintf(notes->rows[notes->count++].text, sizeof notes->rows->text, "%s", text);
    }
    used = strlen(notes->rows[i].results);
    snprintf(notes->rows[i].results + used, sizeof notes->rows->results - used, "%s%s", used ? ", " : "",
             result);
    notes->rows[i].count++;
}

/* Two devices of different models always have different identifiers. */
static void note_device(struct notes *notes, const struct pair *pair)
{
    static const char *const keys[] = {"device.name", "device.uuid", "revision"};
    bool other_model = strcmp(text_of(pair->a->json, keys[0]), text_of(pair->b->json, keys[0])) != 0;
    char text[256];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *a = text_of(pair->a->json, keys[i]), *b = text_of(pair->b->json, keys[i]);
        if (strcmp(a, b) == 0 || (i == 1 && other_model))
            continue;
        snprintf(text, sizeof text, "%s differs: %s, %s", keys[i], a, b);
        add_note(notes, pair->name, text);
    }
    if (is_true(pair->a->json, "dirty") || is_true(pair->b->json, "dirty"))
        add_note(notes, pair->name, "built from changed sources");
}

static void note_parameters(struct notes *notes, const struct pair *pair)
{
    const cJSON *parameter;
    char text[256];
    cJSON_ArrayForEach(parameter, pair->a->parameters)
    {
        const cJSON *other = cJSON_GetObjectItem(pair->b->parameters, parameter->string);
        if (cJSON_Compare(parameter, other, true) || strcmp(parameter->string, "blocks") == 0 ||
            strcmp(parameter->string, "variants") == 0)
            continue;
        snprintf(text, sizeof text, "the parameter %s differs", parameter->string);
        add_note(notes, pair->name, text);
    }
}

void print_compare_notes(const struct pair *pairs, size_t count, FILE *file)
{
    struct notes notes = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        note_device(&notes, &pairs[i]);
        note_parameters(&notes, &pairs[i]);
    }
    for (const struct note *n = notes.rows; n < notes.rows + notes.count; n++)
        if (n->count == count)
            fprintf(file, "note: %s\n", n->text);
        else if (n->count <= 3)
            fprintf(file, "note: %s: %s\n", n->results, n->text);
        else
            fprintf(file, "note: in %zu of %zu results: %s\n", n->count, count, n->text);
    free(notes.rows);
}
