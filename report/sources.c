#include "report/sources.h"
#include "base/failure.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result *sources_result(struct sources *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->of[i].name, name) == 0)
            return s->of[i].result;
    if (s->count == MOST_SOURCES)
        fail(EXIT_BAD_INPUT, "formulas of more than %d results", MOST_SOURCES);
    struct source *source = &s->of[s->count++];
    snprintf(source->name, sizeof source->name, "%s", name);
    return source->result = result_open(s->folder, name);
}

void sources_note(struct sources *s, const struct result *result, const cJSON *point, bool searched)
{
    if (!point || !s->notes)
        return;
    s->reads = with_room(s->reads, sizeof *s->reads, s->read_count, 1);
    s->reads[s->read_count++] = (struct read){result, point, searched};
}

void sources_note_reads(struct sources *s)
{
    s->notes = true;
    s->read_count = 0;
}

void sources_close(struct sources *s)
{
    for (size_t i = 0; i < s->count; i++)
        result_close(s->of[i].result);
    s->count = 0;
    free(s->reads);
    s->reads = NULL;
    s->read_count = 0;
}
