/*
 * The control flow of a function: its basic blocks, their post-dominators, and the joins. A join is a place
 * where lanes of a warp that took different paths come together again. A GPU's compiler lets lanes wait for
 * each other there (BSSY and BSYNC of sm_70 and later): at the branch's immediate post-dominator, the first
 * block to which all paths from the branch lead. Such a block counts as a join here only if there is neither
 * a loop nor a call of a function on the paths to it, so that no lane waits long.
 */
#ifndef MACHINE_PTX_GRAPH_H
#define MACHINE_PTX_GRAPH_H

#include "machine/ptx/body.h"

#define PTX_NOWHERE SIZE_MAX

struct ptx_basic_block {
    size_t first, end; /* the block has the statements first..end - 1 */
    size_t *to;       /* blocks to which control may go; the number of blocks stands for the function's end */
    bool *leads_back; /* for each successor: does the edge lead back to the beginning of a loop? */
    unsigned ways;
    bool calls; /* does it call a function? */
    bool is_join, is_plain, is_predicated;
    /* does its branch lead around so few instructions that a GPU predicates them and executes no branch? */
    bool skips_predicated;
    bool syncs;       /* does it begin with BSYNC, because lanes that a branch has separated reconverge? */
    unsigned counted; /* number of instructions that a GPU executes */
    size_t after;     /* its immediate post-dominator, or PTX_NOWHERE */
    size_t next_join; /* the join to which all paths from the block lead, or PTX_NOWHERE */
    unsigned order;   /* the block's number in an order in which post-dominators come first */
    enum { PTX_UNSEEN, PTX_ON_THE_WAY, PTX_DONE } search;
};

/* What is known of a register. */
struct ptx_use {
    unsigned occurs;  /* number of arguments that have it */
    unsigned written; /* number of statements that write it */
    bool is_wide;     /* is it the result of mul.wide? */
};

struct ptx_graph {
    const struct ptx_body *body;
    struct ptx_basic_block *blocks;
    size_t count;
    size_t *block_of;     /* the block of each statement; for the end of the body, the number of blocks */
    struct ptx_use *uses; /* what is known of each register, by the register's number */
};

/* Makes the graph of a body; ptx_graph_free() frees it. */
struct ptx_graph ptx_graph_make(const struct ptx_body *body);
void ptx_graph_free(struct ptx_graph *graph);

/* Finds the post-dominators and the joins. */
void ptx_graph_joins(struct ptx_graph *graph);

/* Is the opcode's name, before its first dot, this one? */
bool ptx_is(const struct ptx_statement *statement, const char *name);

/* Number of instructions of ptxas for the statement with this number. Loads of parameters and moves of
 * constants and addresses are operands of other instructions, and a move to a register that is written
 * nowhere else only names a value. An addition of 64 bits is two instructions, unless it adds the result of
 * mul.wide (IMAD.WIDE). Before ptx_graph_joins() every branch is one instruction. Afterwards a branch around
 * predicated instructions counts as no instruction, and a branch whose lanes meet at a join counts as two,
 * because BSSY precedes it. */
unsigned ptx_counted(const struct ptx_graph *graph, size_t statement);

/* The largest number of instructions that nvcc predicates instead of branching around them. The limit
 * covers more than nine in ten of the predicated groups of instructions in nvcc 13's code for swat, nw,
 * bitonic, sum, pairhmm and micro-barrier (sm_90). Yet one in ten of the forward branches in this code
 * skips fewer. */
#define PTX_PREDICATED 8

#endif
