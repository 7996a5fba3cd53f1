/*
 * What the instructions of PTX cost in the machine code (SASS) that ptxas has made of them. The section
 * .nv_debug_line_sass of a cubin says for each instruction of SASS of which line of the PTX it was made.
 */
#ifndef MACHINE_PTX_SASS_H
#define MACHINE_PTX_SASS_H

#include "machine/ptx/module.h"

/* Units of a multiprocessor. Every instruction of a warp takes an issue slot, whatever its unit. */
enum sass_unit { SASS_ISSUE, SASS_INTEGER, SASS_DOUBLE, SASS_SPECIAL, SASS_UNITS };

/* What a line of PTX costs a warp, without the requests that it makes; sums over all copies of the line. */
struct sass_cost {
    float cycles;            /* time in which a warp that is alone issues the instructions */
    float slots[SASS_UNITS]; /* issue slots of a multiprocessor for which they occupy each unit */
    /* how often the machine code has the line: more than once if ptxas has unrolled a loop */
    unsigned copies;
    uint32_t kind; /* the instruction of the line that tells its copies: of those with the largest number */
};

/* Returns the costs of the lines of a function, indexed by the line's number in the PTX, which is less than
 * `lines`. The caller frees the array. Returns NULL if the cubin does not say them. */
struct sass_cost *sass_costs(struct ptx_text cubin, const char *function, uint32_t lines);

#endif
