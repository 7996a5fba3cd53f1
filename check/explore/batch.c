#include "check/explore/batch.h"
#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

static void finish_one(const struct batch *batch, struct checked_run *runs, size_t count)
{
    struct outcome outcome;
    struct checked_run *ended = process_wait(runs, count, &batch->limits, &outcome);
    batch->ended(batch->owner, ended, &outcome);
    process_close(ended);
}

bool batch_run(const struct batch *batch)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors > 1 ? (size_t)processors : 1, under_way = 0;
    struct checked_run *runs = allocate(count * sizeof *runs);
    struct setting setting;
    bool is_late = false, has_more = true;
    for (;; under_way--) {
        for (size_t i = 0; i < count && has_more; i++) {
            is_late = seconds_now() > batch->until;
            if (is_late)
                break;
            if (runs[i].process == 0 && (has_more = batch->next(batch->owner, &setting))) {
                process_start(&runs[i], setting, batch->argc, batch->argv);
                under_way++;
            }
        }
        if (!under_way)
            break;
        finish_one(batch, runs, count);
    }
    free(runs);
    return !is_late;
}
