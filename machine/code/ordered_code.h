/* Which code computes from the clock only what grows or falls as the time does. */
#ifndef MACHINE_ORDERED_CODE_H
#define MACHINE_ORDERED_CODE_H

#include <stdbool.h>

/* Does the basic block, which begins after the call of its hook, compute only such values, and does it do
 * nothing else? Then a branch that goes one way at two times also does so at all times between them. */
bool code_is_ordered(const unsigned char *block);

#endif
