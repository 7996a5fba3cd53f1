/* The presets, built into the program. */
#ifndef MACHINE_PRESETS_H
#define MACHINE_PRESETS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The JSON text of machine/presets/NAME.json, or NULL if there is none. */
const char *machine_preset(const char *name);

/* The JSON text of the preset with this name, or else of the file with this path; the caller frees it.
 * Exits with EXIT_BAD_INPUT if there is neither. */
char *machine_device_text(const char *name);

#ifdef __cplusplus
}
#endif

#endif
