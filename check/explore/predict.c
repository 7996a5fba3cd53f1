#include "check/explore/predict.h"
#include "base/failure.h"
#include "base/memory.h"
#include "check/explore/process.h"
#include "machine/presets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void install(const char *device)
{
    char *text = machine_device_text(device);
    struct machine_description description;
    const char *wrong = machine_description_parse(text, device, &description);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--device: %s", wrong);
    if (!(description.clock_hz > 0))
        fail(EXIT_BAD_INPUT, "--device: %s has no clock, so its times are no seconds", device);
    free(text);
    machine_install(&description);
    machine_set_stack(STACK_OF_A_THREAD);
}

/* ---- each kernel, in each of its shapes ---- */

struct launches {
    struct machine_launched one;
    unsigned long long count;
    double units;
};
static struct launches *all;
static size_t all_count;

static void note(const struct machine_launched *launched)
{
    size_t i = 0;
    while (i < all_count &&
           (strcmp(all[i].one.name, launched->name) != 0 || all[i].one.blocks != launched->blocks ||
            all[i].one.threads != launched->threads))
        i++;
    if (i == all_count) {
        all = with_room(all, sizeof *all, all_count, 1);
        all[all_count++] = (struct launches){.one = *launched};
    }
    all[i].count++;
    all[i].units += (double)launched->units;
}

static void tell(const char *device)
{
    double units_per_us = machine_installed()->clock_hz / 1e6;
    for (size_t i = 0; i < all_count; i++)
        fprintf(stderr,
                "gpusync-predict: %s: %s, %u x %u: %.3f us each, without its launch (%llu launches)\n",
                device, all[i].one.name, all[i].one.blocks, all[i].one.threads,
                all[i].units / (double)all[i].count / units_per_us, all[i].count);
}

static const char *the_device;

static void at_end(void)
{
    tell(the_device);
}

int predict(const char *device, int argc, char **argv)
{
    install(device);
    the_device = device;
    machine_watch_launches(note);
    atexit(at_end); /* the program may call exit */
    return gpusync_checked_main(argc, argv);
}
