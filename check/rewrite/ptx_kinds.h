/* Declares a translator for each kind of PTX instruction. A translator returns false if the instruction is of
 * another kind. */
#ifndef CHECK_PTX_KINDS_H
#define CHECK_PTX_KINDS_H

#include "check/rewrite/ptx_text.h"

bool translate_memory(const struct translation *t, struct instruction *i);
bool translate_barriers(const struct translation *t, struct instruction *i);
bool translate_copies(const struct translation *t, struct instruction *i);
bool translate_warps(const struct translation *t, struct instruction *i);
bool translate_arithmetic(const struct translation *t, struct instruction *i);

/* Returns the C++ name of the enum machine_operation that an atomic or reduction instruction executes. */
const char *operation_of(const struct translation *t, const struct instruction *i);

#endif
