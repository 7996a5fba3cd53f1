/* The presets, whose texts are built into the program. */
#ifndef MACHINE_PRESETS_H
#define MACHINE_PRESETS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the JSON text of machine/presets/NAME.json, or NULL if there is no such preset. */
const char *machine_preset(const char *name);

/* Returns the names of all presets, sorted; *count becomes their number. */
const char *const *machine_preset_names(size_t *count);

/* Returns the JSON text of the preset with this name, or of the file with this path; the caller frees the
 * text. Exits with EXIT_BAD_INPUT if there is neither, and says which presets there are. */
char *machine_device_text(const char *name);

#ifdef __cplusplus
}
#endif

#endif
