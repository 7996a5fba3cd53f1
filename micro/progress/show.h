/* Prints how a program does not end: which lines each thread repeats, and which threads starve. */
#ifndef CHECK_TERMINATION_SHOW_H
#define CHECK_TERMINATION_SHOW_H

#include "micro/progress/decide.h"

/* Prints an execution of the program that does not end under the model. If there is none, prints that every
 * execution ends. */
void progress_show(const struct progress_program *program, enum progress_model model);

#endif
