/* How long do the kernels of a checked program take on a described GPU? (scripts/gpusync-predict) */
#ifndef CHECK_PREDICT_H
#define CHECK_PREDICT_H

/* Runs the program once on this device, a preset of machine/presets or a file like those; then prints each kernel's time to
 * standard error. Returns the program's status. */
int predict(const char *device, int argc, char **argv);

#endif
