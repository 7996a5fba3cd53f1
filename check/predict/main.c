/*
 * The main() of gpusync-predict, with which scripts/gpusync-predict links the user's program. It runs the
 * program once on a described GPU, so that the program's own events measure predicted times, and prints each
 * kernel's time to standard error.
 *
 *     program DEVICE [ARGUMENT OF THE PROGRAM...]
 *
 * DEVICE is the name of a preset of machine/presets, or a description file in the same format. The exit
 * status is that of the program.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "check/checked_program.h"
#include "machine/machine.h"
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

/* All launches of one kernel that have the same number of blocks and of threads. */
struct launches {
    struct machine_launched first;
    unsigned long long count;
    double units; /* total time of these launches, in time units of the machine */
};
static struct launches *all;
static size_t all_count;

static void add_launch(const struct machine_launched *launched)
{
    size_t i = 0;
    while (i < all_count &&
           (strcmp(all[i].first.name, launched->name) != 0 || all[i].first.blocks != launched->blocks ||
            all[i].first.threads != launched->threads))
        i++;
    if (i == all_count) {
        all = with_room(all, sizeof *all, all_count, 1);
        all[all_count++] = (struct launches){.first = *launched};
    }
    all[i].count++;
    all[i].units += (double)launched->units;
}

static const char *device;

static void print_launches(void)
{
    double units_per_us = machine_installed()->clock_hz / 1e6;
    fprintf(stderr,
            "gpusync-predict: %s, %g MHz: times that the program measures by cudaEvent are predictions, in "
            "milliseconds as in CUDA; its kernels' times:\n",
            device, units_per_us);
    for (size_t i = 0; i < all_count; i++)
        fprintf(stderr,
                "gpusync-predict: %s: %s, %u x %u: %.3f us each, without its launch (%llu launches)\n",
                device, all[i].first.name, all[i].first.blocks, all[i].first.threads,
                all[i].units / (double)all[i].count / units_per_us, all[i].count);
}

int main(int argc, char **argv)
{
    set_program_name("gpusync-predict");
    if (argc < 2)
        fail(EXIT_BAD_INPUT, "which device?");
    device = argv[1];
    argv[1] = argv[0];
    install(device);
    machine_watch_launches(add_launch);
    atexit(print_launches); /* prints the launches even if the program calls exit() */
    return gpusync_checked_main(argc - 1, argv + 1);
}
