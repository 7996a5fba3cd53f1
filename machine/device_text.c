/* Finds the description of a device by name: a preset, or a file with such a description. */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "machine/presets.h"

char *machine_device_text(const char *name)
{
    const char *preset = machine_preset(name);
    char *text = preset ? copy_text(preset) : file_text(name);
    if (!text)
        fail(EXIT_BAD_INPUT, "--device: no preset and no readable file is called %s", name);
    return text;
}
