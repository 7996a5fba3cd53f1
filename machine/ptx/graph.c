#include "machine/ptx/graph.h"
#include "base/memory.h"
#include "machine/ptx/code.h"

#include <stdlib.h>
#include <string.h>

bool ptx_is(const struct ptx_statement *statement, const char *name)
{
    size_t length = strlen(name);
    return strncmp(statement->opcode, name, length) == 0 &&
           (statement->opcode[length] == 0 || statement->opcode[length] == '.');
}

static bool branches(const struct ptx_statement *statement)
{
    return statement->operation && statement->operation->branches;
}

static bool ends(const struct ptx_statement *statement)
{
    return statement->operation && statement->operation->ends;
}

/* Returns the number of instructions of the branch at a block's end. */
static unsigned of_branch(const struct ptx_basic_block *block)
{
    return block->skips_predicated ? 0 : block->ways > 1 && block->is_plain ? 2 : 1;
}

static struct ptx_use *use_of(const struct ptx_graph *graph, const struct ptx_argument *argument)
{
    const struct ptx_variable *variable = argument->variable;
    return variable && variable->space == PTX_REGISTER ? &graph->uses[variable->number] : NULL;
}

static bool adds_wide(const struct ptx_graph *graph, const struct ptx_statement *statement)
{
    for (unsigned a = 1; a < statement->argument_count; a++) {
        const struct ptx_use *use = use_of(graph, &statement->arguments[a]);
        if (use && use->is_wide && use->written == 1)
            return true;
    }
    return false;
}

unsigned ptx_counted(const struct ptx_graph *graph, size_t at)
{
    const struct ptx_statement *statement = &graph->body->statements[at];
    if (branches(statement))
        return of_branch(&graph->blocks[graph->block_of[at]]);
    if (statement->operation && statement->operation->is_free)
        return 0;
    bool is_move = ptx_is(statement, "mov") && statement->argument_count == 2;
    const struct ptx_variable *to = is_move ? statement->arguments[0].variable : NULL;
    bool merges = to && to->space == PTX_REGISTER && graph->uses[to->number].written > 1;
    if (strcmp(statement->opcode, "cvt.u64.u32") == 0)
        return 0;
    if (strcmp(statement->opcode, "add.s64") == 0 && !adds_wide(graph, statement))
        return 2;
    return !is_move || merges || statement->arguments[1].kind == PTX_IS_SPECIAL;
}

/* ---- blocks ---- */

/* Returns the labels to which the statement leads: one, a list, or none. */
static struct ptx_argument targets_of(const struct ptx_statement *statement)
{
    struct ptx_argument none = {.kind = PTX_IS_NOTHING};
    return branches(statement) && statement->argument_count
               ? statement->arguments[statement->argument_count - 1]
               : none;
}

static void mark_leaders(const struct ptx_body *body, bool *leads)
{
    leads[0] = true;
    for (size_t i = 0; i < body->statement_count; i++) {
        struct ptx_argument target = targets_of(&body->statements[i]);
        if (target.kind == PTX_IS_LABEL)
            leads[target.number] = true;
        for (unsigned t = 0; target.kind == PTX_IS_TARGETS && t < target.count; t++)
            leads[target.items[t].number] = true;
        if (ends(&body->statements[i]))
            leads[i + 1] = true;
    }
}

static void find_ways(const struct ptx_graph *graph, struct ptx_basic_block *block)
{
    const struct ptx_statement *last = &graph->body->statements[block->end - 1];
    struct ptx_argument target = targets_of(last);
    unsigned most = 2 + (target.kind == PTX_IS_TARGETS ? target.count : 0);
    block->to = allocate(most * sizeof *block->to);
    block->leads_back = allocate(most * sizeof *block->leads_back);
    if (target.kind == PTX_IS_LABEL)
        block->to[block->ways++] = graph->block_of[target.number];
    for (unsigned t = 0; target.kind == PTX_IS_TARGETS && t < target.count; t++)
        block->to[block->ways++] = graph->block_of[target.items[t].number];
    if (!ends(last) || last->guard)
        block->to[block->ways++] = graph->block_of[block->end];
    if (!block->ways)
        block->to[block->ways++] = graph->count;
}

static void note_occurrences(const struct ptx_graph *graph, const struct ptx_argument *argument)
{
    struct ptx_use *use = use_of(graph, argument);
    if (use)
        use->occurs++;
    for (unsigned i = 0; i < argument->count; i++)
        note_occurrences(graph, &argument->items[i]);
}

static void note_uses(const struct ptx_graph *graph)
{
    for (size_t i = 0; i < graph->body->statement_count; i++) {
        const struct ptx_statement *statement = &graph->body->statements[i];
        const struct ptx_argument *first = statement->argument_count ? &statement->arguments[0] : NULL;
        for (unsigned a = 0; a < statement->argument_count; a++)
            note_occurrences(graph, &statement->arguments[a]);
        struct ptx_use *to = first && first->kind != PTX_IS_ADDRESS ? use_of(graph, first) : NULL;
        if (!to)
            continue;
        to->written++;
        to->is_wide = strncmp(statement->opcode, "mul.wide", 8) == 0;
    }
}

struct ptx_graph ptx_graph_make(const struct ptx_body *body)
{
    struct ptx_graph graph = {.body = body};
    graph.uses = allocate(((size_t)body->register_count + 1) * sizeof *graph.uses);
    note_uses(&graph);
    size_t count = body->statement_count;
    bool *leads = allocate(count + 2);
    mark_leaders(body, leads);
    graph.block_of = allocate((count + 1) * sizeof *graph.block_of);
    graph.blocks = allocate((count + 1) * sizeof *graph.blocks);
    for (size_t i = 0; i < count; i++) {
        if (leads[i])
            graph.blocks[graph.count++] = (struct ptx_basic_block){.first = i, .after = PTX_NOWHERE};
        struct ptx_basic_block *block = &graph.blocks[graph.count - 1];
        graph.block_of[i] = graph.count - 1;
        block->end = i + 1;
        block->calls =
            block->calls || (body->statements[i].operation && body->statements[i].operation->calls);
        block->counted += ptx_counted(&graph, i);
    }
    graph.block_of[count] = graph.count;
    graph.blocks[graph.count] = (struct ptx_basic_block){.after = PTX_NOWHERE};
    free(leads);
    for (size_t b = 0; b < graph.count; b++)
        find_ways(&graph, &graph.blocks[b]);
    return graph;
}

void ptx_graph_free(struct ptx_graph *graph)
{
    for (size_t b = 0; b < graph->count; b++) {
        free(graph->blocks[b].to);
        free(graph->blocks[b].leads_back);
    }
    free(graph->blocks);
    free(graph->block_of);
    free(graph->uses);
}

/* ---- post-dominators: Cooper, Harvey and Kennedy 2001, "A Simple, Fast Dominance Algorithm" ---- */

/* Stores the predecessors of each block b in `from[begin[b]]` to `from[begin[b + 1] - 1]`. */
static void find_ways_to(const struct ptx_graph *graph, size_t *begin, size_t **from)
{
    size_t count = graph->count;
    for (size_t b = 0; b < count; b++)
        for (unsigned w = 0; w < graph->blocks[b].ways; w++)
            begin[graph->blocks[b].to[w] + 1]++;
    for (size_t b = 0; b <= count; b++)
        begin[b + 1] += begin[b];
    *from = allocate((begin[count + 1] + 1) * sizeof **from);
    size_t *next = allocate((count + 1) * sizeof *next);
    memcpy(next, begin, (count + 1) * sizeof *next);
    for (size_t b = 0; b < count; b++)
        for (unsigned w = 0; w < graph->blocks[b].ways; w++)
            (*from)[next[graph->blocks[b].to[w]]++] = b;
    free(next);
}

/* Sorts the blocks backwards from the function's end: each comes after at least one of its successors.
 * Returns how many blocks can reach the end. */
static size_t order_backwards(struct ptx_graph *graph, size_t *sorted)
{
    size_t count = graph->count, depth = 0, found = 0, *from;
    size_t *begin = allocate((count + 2) * sizeof *begin), *stack = allocate((count + 1) * sizeof *stack),
           *next = allocate((count + 1) * sizeof *next);
    find_ways_to(graph, begin, &from);
    memcpy(next, begin, (count + 1) * sizeof *next);
    graph->blocks[count].search = PTX_ON_THE_WAY;
    for (stack[depth++] = count; depth;) {
        size_t b = stack[depth - 1];
        if (next[b] == begin[b + 1]) {
            sorted[count - found++] = b;
            depth--;
        } else if (graph->blocks[from[next[b]++]].search == PTX_UNSEEN) {
            stack[depth] = from[next[b] - 1];
            graph->blocks[stack[depth++]].search = PTX_ON_THE_WAY;
        }
    }
    memmove(sorted, sorted + (count + 1 - found), found * sizeof *sorted);
    for (size_t i = 0; i < found; i++)
        graph->blocks[sorted[i]].order = (unsigned)i;
    free(from);
    free(begin);
    free(stack);
    free(next);
    return found;
}

/* Returns the nearest common post-dominator of two blocks. */
static size_t common(const struct ptx_graph *graph, size_t a, size_t b)
{
    while (a != b)
        if (graph->blocks[a].order > graph->blocks[b].order)
            a = graph->blocks[a].after;
        else
            b = graph->blocks[b].after;
    return a;
}

static void find_post_dominators(struct ptx_graph *graph)
{
    size_t *sorted = allocate((graph->count + 1) * sizeof *sorted), found = order_backwards(graph, sorted);
    graph->blocks[graph->count].after = graph->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 1; i < found; i++) {
            struct ptx_basic_block *block = &graph->blocks[sorted[i]];
            size_t after = PTX_NOWHERE;
            for (unsigned w = 0; w < block->ways; w++)
                if (graph->blocks[block->to[w]].after != PTX_NOWHERE)
                    after = after == PTX_NOWHERE ? block->to[w] : common(graph, after, block->to[w]);
            changed = changed || after != block->after;
            block->after = after;
        }
    }
    free(sorted);
}

/* ---- joins ---- */

static void forget_search(struct ptx_graph *graph)
{
    for (size_t b = 0; b <= graph->count; b++)
        graph->blocks[b].search = PTX_UNSEEN;
}

/* Marks back edges: edges to a block on the current path of a depth-first search. */
static void find_ways_back(struct ptx_graph *graph)
{
    size_t *stack = allocate((graph->count + 1) * sizeof *stack), depth = 0;
    unsigned *tried = allocate((graph->count + 1) * sizeof *tried);
    forget_search(graph);
    graph->blocks[0].search = PTX_ON_THE_WAY;
    for (stack[depth++] = 0; depth;) {
        struct ptx_basic_block *block = &graph->blocks[stack[depth - 1]];
        if (tried[stack[depth - 1]] == block->ways) {
            block->search = PTX_DONE;
            depth--;
            continue;
        }
        unsigned way = tried[stack[depth - 1]]++;
        struct ptx_basic_block *to = &graph->blocks[block->to[way]];
        block->leads_back[way] = to->search == PTX_ON_THE_WAY;
        if (to->search == PTX_UNSEEN) {
            to->search = PTX_ON_THE_WAY;
            stack[depth++] = block->to[way];
        }
    }
    free(stack);
    free(tried);
}

/* Returns whether there is neither a loop nor a call on the paths from `begin` to `end`. If there are at most
 * PTX_PREDICATED instructions on these paths, notes that nvcc predicates them. `found` has room for all
 * blocks. Blocks that the search has marked are unmarked at the end. */
static bool is_plain(struct ptx_graph *graph, size_t begin, size_t end, size_t *found)
{
    size_t known = 0;
    unsigned between = 0;
    bool plain = true;
    found[known++] = begin;
    graph->blocks[begin].search = PTX_DONE;
    for (size_t f = 0; f < known && plain; f++) {
        const struct ptx_basic_block *block = &graph->blocks[found[f]];
        plain = found[f] != graph->count && !block->calls;
        for (unsigned w = 0; plain && w < block->ways; w++) {
            size_t to = block->to[w];
            plain = !block->leads_back[w];
            if (to == end || graph->blocks[to].search != PTX_UNSEEN)
                continue;
            graph->blocks[to].search = PTX_DONE;
            between += graph->blocks[to].counted;
            found[known++] = to;
        }
    }
    bool few = plain && graph->blocks[begin].ways > 1 && between <= PTX_PREDICATED;
    graph->blocks[begin].skips_predicated = few;
    for (size_t f = 0; f < known; f++) {
        graph->blocks[found[f]].is_predicated |= few;
        graph->blocks[found[f]].search = PTX_UNSEEN;
    }
    return plain;
}

void ptx_graph_joins(struct ptx_graph *graph)
{
    size_t *found = allocate((graph->count + 2) * sizeof *found);
    find_post_dominators(graph);
    find_ways_back(graph);
    forget_search(graph);
    for (size_t b = 0; b < graph->count; b++) {
        struct ptx_basic_block *block = &graph->blocks[b];
        block->is_plain = block->after != PTX_NOWHERE && block->after != graph->count &&
                          is_plain(graph, b, block->after, found);
    }
    for (size_t b = 0; b < graph->count; b++)
        if (graph->blocks[b].ways > 1 && graph->blocks[b].is_plain) {
            struct ptx_basic_block *join = &graph->blocks[graph->blocks[b].after];
            join->is_join = true;
            join->syncs = join->syncs || !graph->blocks[b].skips_predicated;
        }
    for (size_t b = 0; b < graph->count; b++) {
        size_t at = b;
        do
            at = graph->blocks[at].is_plain ? graph->blocks[at].after : PTX_NOWHERE;
        while (at != PTX_NOWHERE && !graph->blocks[at].is_join);
        graph->blocks[b].next_join = at;
    }
    free(found);
}
