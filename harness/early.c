#include "harness/early.h"

static bool early;

bool runs_begin_early(void)
{
    return early;
}

void begin_runs_early(bool new_early)
{
    early = new_early;
}
