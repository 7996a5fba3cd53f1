/* Prints how a program does not end: which thread does which lines again and again, and who
 * starves. */
#ifndef CHECK_TERMINATION_SHOW_H
#define CHECK_TERMINATION_SHOW_H

#include "check/termination/decide.h"

/* Under the model; or that every execution ends. */
void progress_show(const struct progress_program *program, enum progress_model model);

#endif
