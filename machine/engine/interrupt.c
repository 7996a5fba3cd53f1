#include "machine/engine/interrupt.h"
#include "machine/state.h"

#include <stdio.h>
#include <string.h>

void (*volatile interrupt_stop)(void);

void machine_interrupt(void (*stop)(void))
{
    interrupt_stop = stop;
}

const char *machine_kernels_left(void)
{
    static char text[512];
    const struct run *run = &the_machine.run;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned k = 0; k < MOST_KERNELS && used < sizeof text; k++) {
        const struct kernel *kernel = &run->kernels[k];
        if (!kernel->number)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u of the %u blocks of %s had ended",
                                 used ? ", and " : "", kernel->grid - kernel->blocks_left, kernel->grid,
                                 kernel->launch.name);
    }
    return text;
}

bool machine_under_way(struct machine_way *out)
{
    const struct run *run = &the_machine.run;
    for (const struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++) {
        if (!k->number)
            continue;
        *out = (struct machine_way){.blocks = k->grid,
                                    .threads = k->threads,
                                    .begun = k->started,
                                    .ended = k->grid - k->blocks_left,
                                    .units = run->now - run->start};
        strncpy(out->name, k->launch.name, sizeof out->name - 1);
        return true;
    }
    return false;
}
