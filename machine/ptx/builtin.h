/* Functions that CUDA's device code calls and that the driver has: printf, assert, malloc and free. */
#ifndef MACHINE_PTX_BUILTIN_H
#define MACHINE_PTX_BUILTIN_H

#include "machine/ptx/code.h"

#define PTX_BUILTIN_ARGUMENTS 6

/* Executes the function for the running lane, and returns its result. */
typedef uint64_t ptx_builtin(const uint64_t arguments[PTX_BUILTIN_ARGUMENTS], const struct ptx_code *code);

/* Returns the function with this name, or NULL if there is none. */
ptx_builtin *ptx_builtin_named(const char *name);

/* Ends the run with a report about the running lane; the text follows "block 0 thread 0 at LINE". In the
 * checker, the run ends by the signal `number`, as if the host had executed such code. */
void ptx_fault(const char *what, int number, const struct ptx_code *code);

#endif
