#include "report/sources.h"
#include "base/failure.h"

#include <stdio.h>
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

void sources_close(struct sources *s)
{
    for (size_t i = 0; i < s->count; i++)
        result_close(s->of[i].result);
    s->count = 0;
}
