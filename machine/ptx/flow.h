/*
 * Finds the facts about a routine's instructions that the time model needs: the earlier requests on which a
 * request depends, and the work between two requests. A forward data-flow analysis follows the content of
 * registers over all paths through the function. It is conservative: a request that may depend on another one
 * counts as dependent.
 */
#ifndef MACHINE_PTX_FLOW_H
#define MACHINE_PTX_FLOW_H

#include "machine/code/instructions.h"
#include "machine/ptx/fat_binary.h"
#include "machine/ptx/graph.h"

/* Counts of instructions between two places. */
struct ptx_counts {
    /* `free` counts instructions that need no result of an earlier request, `bound` the others. Each has the
     * number of instructions, the integer divisions among them, and the lengths of the longest chains of
     * dependent divisions and of dependent loads from private memory. */
    struct ptx_count {
        uint16_t instructions, divisions, divisions_in_turn, loads_in_turn;
        float cycles; /* cycles by the machine code; if it is known, all counts but loads_in_turn are 0 */
    } free, bound;
    /* issue slots of `free` and `bound`, by the machine code (struct sass_cost) */
    float slots[MACHINE_UNITS];
    bool is_long; /* are the instructions in a run of more than SHORT_RUN instructions without a branch? */
};

/* What is known about a statement that makes a request, or about the beginning of a basic block. */
struct ptx_known {
    struct dependence dependence;
    struct ptx_counts after; /* the instructions from there to the next request or the basic block's end */
};

/* Fills in `statements`, with an entry for each statement, and `blocks`, with an entry for each block.
 * `requests` says which statements make a request, `results` how many of their first arguments are
 * results. `costs` has the cost of each line of the PTX; it is NULL if the machine code is not known. */
void ptx_flow_find(const struct ptx_graph *graph, const bool *requests, const unsigned char *results,
                   bool is_kernel, const struct sass_cost *costs, struct ptx_known *statements,
                   struct ptx_known *blocks);

/* Returns the work of the counted instructions on the installed machine. */
struct work ptx_work_of(const struct ptx_counts *counts);

#endif
