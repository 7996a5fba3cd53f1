/* What the code around the call of an atomic operation says about the instruction that nvcc chooses for it.
 * nvcc chooses by what it knows when it compiles, so the machine looks at the compiled code, too. */
#ifndef MACHINE_ATOMIC_USE_H
#define MACHINE_ATOMIC_USE_H

#include "machine/code/kernel_code.h"

struct atomic_use {
    bool is_unused; /* does no instruction read the result of the call? */
    bool adds_one;  /* is the call's second argument, the operand of an atomic operation, the constant 1? */
};

/* Returns what the code around the call says. `call` is the number of an instruction that calls a hook which
 * makes a request. What the code does not say clearly is false. */
struct atomic_use atomic_use_of(const struct kernel_function *function, size_t call);

#endif
