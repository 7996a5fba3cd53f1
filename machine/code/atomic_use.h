/* Finds out from the code around the call of an atomic operation which instruction nvcc would choose for the
 * operation. nvcc chooses by what it knows when it compiles, so the machine reads the compiled code, too. */
#ifndef MACHINE_ATOMIC_USE_H
#define MACHINE_ATOMIC_USE_H

#include "machine/code/kernel_code.h"

struct atomic_use {
    bool is_unused; /* does no instruction read the result of the call? */
    bool adds_one;  /* is the call's second argument, the operand of an atomic operation, the constant 1? */
};

/* Finds out how the code around the call uses the atomic operation. `call` is the number of the instruction
 * that calls the operation's hook. A member is false if the code does not show clearly that it is true. */
struct atomic_use atomic_use_of(const struct kernel_function *function, size_t call);

#endif
