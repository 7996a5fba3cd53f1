/* The only place that forks: processes that measure a part, each with a device context of its own. */
#ifndef HARNESS_PROCESSES_H
#define HARNESS_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts a process that goes on from here. Returns 0 in the new process and its id in the old one. With
 * `ends_with_parent` the new process is killed when the old one ends. Must be called before the device is
 * opened, because a device context does not survive fork. Exits with EXIT_CANNOT if the system starts no
 * process.
 */
pid_t process_start(bool ends_with_parent);

/* Waits for the process and returns its exit status, or EXIT_CANNOT if a signal ended it. */
int process_end(pid_t child);

#endif
