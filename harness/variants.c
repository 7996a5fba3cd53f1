#include "harness/variants.h"

#include <stdio.h>

const char *variant_needs(const struct variant *v, char *text, size_t bytes)
{
    if (v->special)
        snprintf(text, bytes, "%s", v->special);
    else if (v->graphs != NO_GRAPHS)
        snprintf(text, bytes, "CUDA graphs%s",
                 v->graphs == GRAPHS_PROGRAMMATIC ? " with programmatic dependent launch" : "");
    else if (v->capability)
        snprintf(text, bytes, "compute capability %d.%d", v->capability / 10, v->capability % 10);
    else
        snprintf(text, bytes, "-");
    return text;
}
