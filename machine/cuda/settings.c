/* The installed machine: its description, and the settings that machine.h offers. */
#include "base/failure.h"
#include "machine/engine/trace.h"
#include "machine/presets.h"
#include "machine/time/launch.h"
#include "machine/weak/races.h"

#include <string.h>

void machine_install(const struct machine_description *description)
{
    the_machine = (struct machine){.description = *description};
    launch_was_queried();
}

/* the machine of programs that install no machine, such as those in examples/ */
#define PRESET_OF_PROGRAMS "h100"

static void install_preset(void)
{
    struct machine_description description;
    const char *wrong =
        machine_description_parse(machine_preset(PRESET_OF_PROGRAMS), PRESET_OF_PROGRAMS, &description);
    if (wrong)
        fail(EXIT_CANNOT, "%s", wrong);
    machine_install(&description);
}

const struct machine_description *machine_installed(void)
{
    if (!the_machine.description.sm_count)
        install_preset();
    return &the_machine.description;
}

void machine_set_schedule(enum machine_schedule schedule, uint64_t seed)
{
    the_machine.schedule = schedule;
    the_machine.random.state = seed;
}

static const char *const memory_names[] = {"coherent", "l1", "oldest", "random"};

bool machine_memory_of(const char *name, enum machine_memory *out)
{
    for (unsigned m = 0; m < sizeof memory_names / sizeof *memory_names; m++)
        if (strcmp(name, memory_names[m]) == 0) {
            *out = (enum machine_memory)m;
            return true;
        }
    return false;
}

void machine_set_memory(enum machine_memory memory)
{
    /* Installs a machine now if there is none, because a later installation would make memory coherent
     * again. */
    machine_installed();
    the_machine.memory.is_weak = memory != MACHINE_COHERENT;
    the_machine.memory.policy = memory;
}

void machine_collect_races(bool collect, bool cures)
{
    machine_installed();
    the_machine.memory.races = collect;
    the_machine.memory.cures = collect && cures;
    races_forget();
}

void machine_set_devices(unsigned count)
{
    the_machine.devices = count;
}

uint64_t machine_now(void)
{
    return the_machine.now;
}

const struct machine_counters *machine_get_counters(void)
{
    return &the_machine.counters;
}
void machine_reset_counters(void)
{
    the_machine.counters = (struct machine_counters){0};
    trace_forget_intervals();
}
