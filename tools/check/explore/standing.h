/*
 * Tells where the threads of a run are when it is ended: because it took too long, because of a signal, or
 * because the program has returned something other than 0. These functions execute in the process of a run.
 */
#ifndef CHECK_STANDING_H
#define CHECK_STANDING_H

#include <stdbool.h>
#include <stddef.h>

/* Loads a library that standing_watch() needs. The process that starts the runs calls this function, because
 * loading takes time and is not allowed in a signal handler. */
void standing_prepare(void);

/* From now on, a signal that would end the program calls `ended` with the signal's number and a text, in
 * which lines are marks (machine_mark_lines()). The text says where the kernel's threads are, or where the
 * host is. For the signal `too_long` it covers all threads, for other signals only the running one. `ended`
 * may return; then the signal ends the process. */
void standing_watch(int too_long, void (*ended)(int signal, const char *where));

/* Writes the text `before`, and then which kernel the program launched last, or which launch failed last, and
 * where. Writes "" if there was none. */
void standing_of_launch(bool has_failed, const char *before, char *text, size_t size);

#endif
