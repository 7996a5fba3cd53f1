/* Takes rights from a checked program that could do harm when it is run hundreds of times (--sandbox). */
#ifndef CHECK_SANDBOX_H
#define CHECK_SANDBOX_H

/* Returns NULL if sandbox_enter() is possible on this system, otherwise a text that says what the system
 * lacks. Called before any run. */
const char *sandbox_lacks(void);

/* Takes from this process, and from all that it starts, the network (at least TCP), and every change of
 * files that are not in the folder `scratch`, which becomes TMPDIR. Reading, and files that are open already,
 * stay as they are. Ends the process with EXIT_CANNOT if the system refuses, so that nothing is run without
 * it. */
void sandbox_enter(const char *scratch);

#endif
