/* Recognizes code whose results are monotonic in the clock: as the time grows, each result only grows or only
 * falls. */
#ifndef MACHINE_ORDERED_CODE_H
#define MACHINE_ORDERED_CODE_H

#include <stdbool.h>

/* Does the basic block, which begins after the call of its hook, do nothing but compute results that are
 * monotonic in the clock? Then a branch that goes the same way at two times also goes this way at all times
 * between them. */
bool code_is_ordered(const unsigned char *block);

#endif
