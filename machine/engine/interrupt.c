#include "machine/engine/interrupt.h"
#include "machine/code/source_line.h"
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
        char name[128];
        if (!kernel->number)
            continue;
        if (kernel->launch.name)
            snprintf(name, sizeof name, "%s", kernel->launch.name);
        else
            source_function(kernel->launch.kernel, name, sizeof name);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%u of the %u blocks of %s had ended",
                             used ? ", and " : "", kernel->grid - kernel->blocks_left, kernel->grid, name);
    }
    return text;
}

bool machine_under_way(struct machine_way *out)
{
    const struct run *run = &the_machine.run;
    for (const struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++) {
        if (!k->number)
            continue;
        *out = (struct machine_way){.kernel = k->launch.kernel,
                                    .blocks = k->grid,
                                    .threads = k->threads,
                                    .begun = k->started,
                                    .ended = k->grid - k->blocks_left,
                                    .units = run->now - run->start};
        if (k->launch.name)
            strncpy(out->name, k->launch.name, sizeof out->name - 1);
        return true;
    }
    return false;
}

void machine_name_of(const void *kernel, char *text, size_t size)
{
    source_function(kernel, text, size);
}
