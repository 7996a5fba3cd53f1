#include "machine/ptx/decode.h"
const struct ptx_operation ptx_matrix_operations[] = {{NULL, 0, NULL}};
