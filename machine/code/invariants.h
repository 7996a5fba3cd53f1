/* Finds the divisions of a kernel that give the same result in each iteration of their loop. nvcc moves
 * them to before the loop; g++ leaves them in it, because a division by zero ends an x86-64 program. */
#ifndef MACHINE_INVARIANTS_H
#define MACHINE_INVARIANTS_H

#include "machine/code/kernel_code.h"

/* Sets is_invariant of each division of the function that is in a loop which changes none of its operands. If
 * the code does not show this clearly, is_invariant stays false. */
void invariants_find(const struct kernel_function *function);

#endif
