/* Finds the description of a device by name: a preset, or a file with such a description. */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/presets.h"

#include <stdio.h>
#include <string.h>

static void __attribute__((noreturn)) refuse(const char *name)
{
    size_t count;
    const char *const *names = machine_preset_names(&count);
    char all[256] = "", meant[NEAREST_BYTES];
    for (size_t i = 0; i < count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    fail(EXIT_BAD_INPUT, "--device: no preset and no readable file is called %s%s (presets: %s)", name,
         did_you_mean(meant, "", name, names, count), all);
}

char *machine_device_text(const char *name)
{
    const char *preset = machine_preset(name);
    char *text = preset ? copy_text(preset) : file_text(name);
    if (!text)
        refuse(name);
    return text;
}
