#include "harness/early.h"
#include "base/failure.h"
#include "harness/sweep.h"

static bool early;

bool runs_begin_early(void)
{
    return early;
}

void choose_early(const struct sweep *s)
{
    early = s->options.early;
    if (early && !s->experiment->begins_early)
        fail(EXIT_BAD_INPUT, "--early has no use here: %s is not measured so", s->experiment->name);
    if (early && !device_has_programmatic_launch())
        fail(EXIT_CANNOT, "--early needs programmatic dependent launch, which %s does not have",
             s->device.name);
}
