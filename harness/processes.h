/* Starts processes that measure a part of a sweep, each with a device context of its own. No other file calls
 * fork. */
#ifndef HARNESS_PROCESSES_H
#define HARNESS_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Forks: starts a process that continues from this call. Returns 0 in the new process, and the new process's
 * id in the old one. With `ends_with_parent` the new process is killed when the old one ends. Must be called
 * before the device is opened, because a device context does not survive fork. Exits with EXIT_CANNOT if no
 * process can be started.
 */
pid_t process_start(bool ends_with_parent);

/* Waits for the process and returns its exit status, or EXIT_CANNOT if a signal ended it. */
int process_end(pid_t child);

#endif
