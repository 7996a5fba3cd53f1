#include "machine/ptx/flow.h"
#include "base/memory.h"
#include "machine/ptx/code.h"

#include <stdlib.h>
#include <string.h>

/* The largest number of instructions in a short run. A run is a sequence of instructions that no branch of
 * nvcc's code divides; nvcc predicates a few instructions instead of branching around them.
 * scripts/count-stalls measures the time of an instruction in short runs and in long ones. */
#define SHORT_RUN 32

/* The requests on which a value depends. */
struct sources {
    uint64_t requests; /* the requests whose results were used to compute the value */
    /* the requests that decided whether this value was written, at a branch whose sides have met again */
    uint64_t deciders;
};

/* What is known at one place in the code. */
struct state {
    /* the sources of the value of each register, and then of private memory; at the beginning of a block only
     * the sources of the registers in `crossing` */
    struct sources *of;
    uint64_t control; /* requests that decide whether the code here is executed: see struct dependence */
    uint64_t leaving; /* requests that decide whether a loop is left */
    uint64_t used; /* requests whose results the block has used, and at its beginning the blocks before it */
    /* Between a branch and the join at which its paths meet, `deciders` are the requests that decided the
     * branch, and `join` is the block of the join. If branches are nested, the outer branch's join counts. */
    uint64_t deciders;
    size_t join;
    bool is_known, is_queued;
};

struct analysis {
    const struct ptx_graph *graph;
    const bool *requests;
    const unsigned char *results;
    struct ptx_known *statements, *blocks;
    struct state *at;   /* for each block: what is known at its beginning */
    bool *bound;        /* for each statement: does it need the result of a request? */
    size_t holders;     /* number of registers, and one for private memory */
    uint32_t *crossing; /* holders whose value some block may read before it has written them */
    size_t crossing_count;
    bool is_kernel;
    const struct sass_cost *costs; /* for each line of the PTX, its cost; NULL if costs are not known */
};

static struct sources united(struct sources a, struct sources b)
{
    return (struct sources){a.requests | b.requests, a.deciders | b.deciders};
}

/* ---- a statement ---- */

static struct sources read(const struct state *state, const struct ptx_argument *argument)
{
    struct sources sources = {0};
    if (argument->variable && argument->variable->space == PTX_REGISTER)
        sources = state->of[argument->variable->number];
    for (unsigned i = 0; i < argument->count; i++)
        sources = united(sources, read(state, &argument->items[i]));
    return sources;
}

/* Writes the result's registers. A guarded instruction leaves them as they were in some lanes. */
static void write(const struct state *state, const struct ptx_argument *argument, struct sources sources,
                  bool is_guarded)
{
    if (argument->variable && argument->variable->space == PTX_REGISTER) {
        struct sources *of = &state->of[argument->variable->number];
        *of = is_guarded ? united(*of, sources) : sources;
    }
    for (unsigned i = 0; i < argument->count; i++)
        write(state, &argument->items[i], sources, is_guarded);
}

static void branch(const struct analysis *analysis, struct state *state, size_t block, struct sources sources)
{
    size_t join = analysis->graph->blocks[block].next_join;
    state->control |= sources.requests;
    if (join == PTX_NOWHERE)
        state->leaving |= sources.requests | sources.deciders;
    else if (!state->deciders)
        state->join = join;
    if (join != PTX_NOWHERE)
        state->deciders |= sources.requests | sources.deciders;
}

/* Returns the sources of the value that the statement loads from private memory, if it does. */
static struct sources private_memory(const struct analysis *analysis, const struct state *state,
                                     const struct ptx_statement *statement)
{
    bool is_local = strncmp(statement->opcode, "ld.local", 8) == 0,
         is_parameter = strncmp(statement->opcode, "ld.param", 8) == 0;
    if (is_parameter && analysis->is_kernel)
        is_parameter = statement->arguments[1].variable &&
                       strncmp(statement->arguments[1].variable->name, "retval", 6) == 0;
    if (is_parameter) /* the result of a call, or an argument of this function */
        return (struct sources){.requests = ALL_REQUESTS};
    return is_local ? state->of[analysis->holders - 1] : (struct sources){0};
}

static void follow_statement(const struct analysis *analysis, struct state *state, size_t block, size_t at)
{
    const struct ptx_statement *statement = &analysis->graph->body->statements[at];
    struct ptx_known *known = &analysis->statements[at];
    struct sources sources = private_memory(analysis, state, statement);
    if (statement->guard)
        sources = united(sources, state->of[statement->guard->number]);
    for (unsigned a = 0; a < statement->argument_count; a++)
        if (a >= analysis->results[at] || statement->arguments[a].kind == PTX_IS_ADDRESS)
            sources = united(sources, read(state, &statement->arguments[a]));
    if (analysis->graph->blocks[block].ways > 1 && at == analysis->graph->blocks[block].end - 1)
        branch(analysis, state, block, sources);
    analysis->bound[at] = analysis->bound[at] || sources.requests;
    /* ptxas moves no instruction across a barrier of the block */
    bool is_barrier = statement->operation && statement->operation->is_barrier;
    if (analysis->requests[at]) {
        known->dependence.needs |= sources.requests | state->control | (is_barrier ? state->used : 0);
        known->dependence.leaves |= state->leaving;
        state->control = state->leaving = 0;
        sources = (struct sources){.requests = UINT64_C(1) << known->dependence.number};
    } else if (!ptx_is(statement, "mov"))
        state->used |= sources.requests;
    if (strncmp(statement->opcode, "st.local", 8) == 0)
        state->of[analysis->holders - 1] = united(state->of[analysis->holders - 1], sources);
    sources.deciders |= state->deciders;
    if (analysis->results[at] && statement->argument_count)
        write(state, &statement->arguments[0], sources, statement->guard != NULL);
}

/* ---- the function ---- */

/* Notes that the register is read; `written` says for each register in which block, counted from 1, it was
 * written last. */
static void note_read(struct analysis *analysis, const struct ptx_variable *variable, size_t *written,
                      size_t block)
{
    if (!variable || variable->space != PTX_REGISTER || written[variable->number] == block + 1 ||
        written[variable->number] == SIZE_MAX)
        return;
    written[variable->number] = SIZE_MAX;
    analysis->crossing[analysis->crossing_count++] = variable->number;
}

static void note_all_read(struct analysis *analysis, const struct ptx_argument *argument, size_t *written,
                          size_t block)
{
    note_read(analysis, argument->variable, written, block);
    for (unsigned i = 0; i < argument->count; i++)
        note_all_read(analysis, &argument->items[i], written, block);
}

static void note_written(const struct ptx_argument *argument, size_t *written, size_t block)
{
    if (argument->variable && argument->variable->space == PTX_REGISTER &&
        written[argument->variable->number] != SIZE_MAX)
        written[argument->variable->number] = block + 1;
    for (unsigned i = 0; i < argument->count; i++)
        note_written(&argument->items[i], written, block);
}

/* Finds the registers whose values pass from block to block. Most registers of nvcc's code are written and
 * read in one block, so a merge has few values. */
static void find_crossing(struct analysis *analysis)
{
    const struct ptx_graph *graph = analysis->graph;
    size_t *written = allocate(analysis->holders * sizeof *written);
    analysis->crossing = allocate(analysis->holders * sizeof *analysis->crossing);
    analysis->crossing[analysis->crossing_count++] = (uint32_t)(analysis->holders - 1);
    for (size_t b = 0; b < graph->count; b++)
        for (size_t at = graph->blocks[b].first; at < graph->blocks[b].end; at++) {
            const struct ptx_statement *statement = &graph->body->statements[at];
            note_read(analysis, statement->guard, written, b);
            for (unsigned a = 0; a < statement->argument_count; a++)
                if (a >= analysis->results[at] || statement->arguments[a].kind == PTX_IS_ADDRESS ||
                    statement->guard)
                    note_all_read(analysis, &statement->arguments[a], written, b);
            if (analysis->results[at] && statement->argument_count)
                note_written(&statement->arguments[0], written, b);
        }
    free(written);
}

/* Merges the state at the end of a block into the state at the beginning of a successor. Returns whether the
 * successor's state has changed. */
static bool merge(const struct analysis *analysis, struct state *to, const struct state *from)
{
    bool changed = !to->is_known;
    for (size_t i = 0; i < analysis->crossing_count; i++) {
        struct sources more = united(from->of[analysis->crossing[i]], to->of[i]);
        changed = changed || more.requests != to->of[i].requests || more.deciders != to->of[i].deciders;
        to->of[i] = more;
    }
    changed = changed || (from->deciders & ~to->deciders) || (from->control & ~to->control) ||
              (from->leaving & ~to->leaving) || (from->used & ~to->used);
    to->control |= from->control;
    to->leaving |= from->leaving;
    to->used |= from->used;
    to->deciders |= from->deciders;
    to->join = from->join;
    to->is_known = true;
    return changed;
}

static void follow_block(const struct analysis *analysis, struct state *state, size_t block)
{
    struct dependence *begin = &analysis->blocks[block].dependence;
    begin->needs |= state->control;
    begin->leaves |= state->leaving;
    begin->used |= state->used;
    state->control = state->used = 0;
    if (state->deciders && state->join == block)
        state->deciders = 0;
    for (size_t at = analysis->graph->blocks[block].first; at < analysis->graph->blocks[block].end; at++)
        follow_statement(analysis, state, block, at);
}

static void follow_all(const struct analysis *analysis)
{
    const struct ptx_graph *graph = analysis->graph;
    size_t passed = 0;
    struct state state = {.of = allocate(analysis->holders * sizeof *state.of)};
    analysis->at[0].control = ALL_REQUESTS;
    analysis->at[0].is_known = true;
    analysis->at[0].is_queued = true;
    /* visits the blocks in the order of the text until no block has changed since its last visit */
    for (size_t block = 0; passed < graph->count; block = (block + 1) % graph->count) {
        struct state *begin = &analysis->at[block];
        if (!begin->is_queued) {
            passed++;
            continue;
        }
        passed = 0;
        struct sources *of = state.of;
        begin->is_queued = false;
        state = *begin;
        state.of = of;
        for (size_t i = 0; i < analysis->crossing_count; i++)
            of[analysis->crossing[i]] = begin->of[i];
        follow_block(analysis, &state, block);
        for (unsigned w = 0; w < graph->blocks[block].ways; w++) {
            struct state *next = &analysis->at[graph->blocks[block].to[w]];
            if (graph->blocks[block].to[w] != graph->count && merge(analysis, next, &state))
                next->is_queued = true;
        }
    }
    free(state.of);
}

/* ---- the instructions between two requests ---- */

static bool divides(const struct ptx_statement *statement)
{
    const char *type = strrchr(statement->opcode, '.');
    return (ptx_is(statement, "div") || ptx_is(statement, "rem")) && type &&
           (type[1] == 'u' || type[1] == 's');
}

static void add_some(uint16_t *number, unsigned more)
{
    *number = (uint16_t)(*number + more < UINT16_MAX ? *number + more : UINT16_MAX);
}

/* The longest chains that led to a register's value: of divisions, and of loads from private memory. */
struct chain {
    uint16_t divisions, loads;
};

static void lengthen(struct chain *longest, struct chain other)
{
    longest->divisions = other.divisions > longest->divisions ? other.divisions : longest->divisions;
    longest->loads = other.loads > longest->loads ? other.loads : longest->loads;
}

/* Adds a statement to the counts. `chain` has an entry for each register. */
static void count(const struct analysis *analysis, struct ptx_counts *counts, size_t at, struct chain *chain)
{
    const struct ptx_statement *statement = &analysis->graph->body->statements[at];
    struct ptx_count *count = analysis->bound[at] ? &counts->bound : &counts->free;
    struct chain most = {0};
    add_some(&count->instructions, analysis->costs ? 0 : ptx_counted(analysis->graph, at));
    for (unsigned a = analysis->results[at]; a < statement->argument_count; a++) {
        const struct ptx_variable *variable = statement->arguments[a].variable;
        if (variable && variable->space == PTX_REGISTER)
            lengthen(&most, chain[variable->number]);
    }
    if (divides(statement) && !analysis->costs) {
        add_some(&count->divisions, 1);
        add_some(&most.divisions, 1);
    }
    if (strncmp(statement->opcode, "ld.local", 8) == 0)
        add_some(&most.loads, 1);
    struct chain longest = {count->divisions_in_turn, count->loads_in_turn};
    lengthen(&longest, most);
    count->divisions_in_turn = longest.divisions;
    count->loads_in_turn = longest.loads;
    if (analysis->results[at] && statement->argument_count && statement->arguments[0].variable &&
        statement->arguments[0].variable->space == PTX_REGISTER)
        chain[statement->arguments[0].variable->number] = most;
}

/* Returns the rounded mean number of copies of the lines of the block in the machine code. */
static float copies_of(const struct analysis *analysis, const struct ptx_basic_block *block)
{
    float copies = 0, lines = 0;
    for (size_t at = block->first; at < block->end; at++) {
        unsigned more = analysis->costs[analysis->graph->body->statements[at].text_line].copies;
        copies += (float)more;
        lines += more != 0;
    }
    return lines > 0 ? (float)(int)(copies / lines + 0.5F) : 1;
}

/* Adds the cost of a statement's line. A loop's branch and its comparison count with the mean time of an
 * instruction, because the constants of loops were measured so: a loop's time less the mean times of its
 * instructions (report/preset.c). */
static void add_cost(const struct analysis *analysis, const struct ptx_basic_block *block,
                     struct ptx_counts *counts, size_t at, float copies)
{
    const struct ptx_statement *all = analysis->graph->body->statements, *last = &all[block->end - 1];
    const struct sass_cost *cost = &analysis->costs[all[at].text_line];
    float cycles = cost->cycles;
    if (at && all[at - 1].text_line == all[at].text_line)
        return;
    bool compares = last->guard && all[at].argument_count && all[at].arguments[0].variable == last->guard;
    for (unsigned w = 0; w < block->ways; w++)
        if (block->leads_back[w] && (&all[at] == last || compares))
            cycles = cost->slots[UNIT_ISSUE] * (float)the_machine.description.instruction_per_1000 / 1000;
    *(analysis->bound[at] ? &counts->bound.cycles : &counts->free.cycles) += cycles / copies;
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        counts->slots[u] += cost->slots[u] / copies;
}

static void count_block(const struct analysis *analysis, size_t block, bool is_long, struct chain *chain)
{
    const struct ptx_basic_block *of = &analysis->graph->blocks[block];
    struct ptx_counts *counts = &analysis->blocks[block].after;
    float copies = analysis->costs ? copies_of(analysis, of) : 1;
    size_t chain_bytes = (analysis->holders + 1) * sizeof *chain;
    counts->is_long = is_long;
    counts->free.instructions = analysis->costs ? 0 : of->syncs;
    memset(chain, 0, chain_bytes);
    for (size_t at = of->first; at < of->end; at++) {
        if (analysis->costs)
            add_cost(analysis, of, counts, at, copies);
        if (!analysis->requests[at]) {
            count(analysis, counts, at, chain);
            continue;
        }
        counts = &analysis->statements[at].after;
        counts->is_long = is_long;
        memset(chain, 0, chain_bytes);
    }
}

/* Counts the instructions of each block. A run ends at a branch that is not predicated and at its target. */
static void count_all(const struct analysis *analysis)
{
    const struct ptx_graph *graph = analysis->graph;
    bool *begins = allocate(graph->count + 2);
    struct chain *chain = allocate((analysis->holders + 1) * sizeof *chain);
    begins[0] = begins[graph->count] = true;
    for (size_t b = 0; b < graph->count; b++) {
        const struct ptx_basic_block *block = &graph->blocks[b];
        bool falls = block->ways == 1 && block->to[0] == b + 1;
        if (falls || block->is_predicated)
            continue;
        begins[b + 1] = true;
        for (unsigned w = 0; w < block->ways; w++)
            begins[block->to[w]] = true;
    }
    for (size_t first = 0, end; first < graph->count; first = end) {
        unsigned length = 0;
        for (end = first; end == first || !begins[end]; end++)
            length += graph->blocks[end].counted;
        for (size_t b = first; b < end; b++)
            count_block(analysis, b, length > SHORT_RUN, chain);
    }
    free(begins);
    free(chain);
}

void ptx_flow_find(const struct ptx_graph *graph, const bool *requests, const unsigned char *results,
                   bool is_kernel, const struct sass_cost *costs, struct ptx_known *statements,
                   struct ptx_known *blocks)
{
    struct analysis analysis = {.graph = graph,
                                .requests = requests,
                                .results = results,
                                .statements = statements,
                                .blocks = blocks,
                                .holders = (size_t)graph->body->register_count + 1,
                                .is_kernel = is_kernel,
                                .costs = costs};
    unsigned numbers = 0;
    find_crossing(&analysis);
    analysis.at = allocate((graph->count + 1) * sizeof *analysis.at);
    struct sources *of = allocate((graph->count + 1) * analysis.crossing_count * sizeof *of);
    for (size_t b = 0; b <= graph->count; b++)
        analysis.at[b].of = of + b * analysis.crossing_count;
    analysis.bound = allocate(graph->body->statement_count + 1);
    for (size_t s = 0; s < graph->body->statement_count; s++)
        if (requests[s])
            statements[s].dependence.number = numbers++ % REQUEST_NUMBERS;
    if (graph->count)
        follow_all(&analysis);
    count_all(&analysis);
    free(of);
    free(analysis.at);
    free(analysis.bound);
    free(analysis.crossing);
}

/* ---- time ---- */

/* number of instructions in a division of 32-bit integers (nvcc 13, sm_90) */
#define INSTRUCTIONS_OF_DIVISION 18

/* How many instructions ptxas makes of 100 that are counted in PTX: it adds moves between registers, loads of
 * constants, and convergence barriers. The number was measured in nvcc 13's code for sm_90 of 170 kernels
 * (barrier, stencil, swat, nw, producer-consumer, dependency). */
#define INSTRUCTIONS_OF_100 128

static unsigned after_ptxas(const struct ptx_count *count)
{
    return (count->instructions * INSTRUCTIONS_OF_100 + 50u) / 100;
}

static uint32_t parts_of(const struct ptx_count *count, uint64_t each)
{
    const struct machine_description *d = &the_machine.description;
    /* a load of private memory hits the L1 cache, because the thread's own stores have written the line
     * there */
    uint64_t more = (uint64_t)count->divisions_in_turn * (uint64_t)d->divide_latency +
                    (uint64_t)count->loads_in_turn * (uint64_t)d->l1_latency;
    uint64_t parts = count->instructions * INSTRUCTIONS_OF_100 * each * PARTS_OF_A_UNIT / (1000 * 100) +
                     more * PARTS_OF_A_UNIT + (uint64_t)(count->cycles * PARTS_OF_A_UNIT);
    return parts < UINT32_MAX ? (uint32_t)parts : UINT32_MAX;
}

static unsigned instructions_of(const struct ptx_count *count)
{
    bool divides_slowly = the_machine.description.divide_latency != 0;
    return after_ptxas(count) + (divides_slowly ? count->divisions * (INSTRUCTIONS_OF_DIVISION - 1u) : 0);
}

struct work ptx_work_of(const struct ptx_counts *counts)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t each = (uint64_t)(counts->is_long ? d->long_instruction_per_1000 : d->instruction_per_1000);
    if (!each)
        return (struct work){0};
    unsigned longest = 0; /* the unit that is occupied longest */
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        longest = counts->slots[u] > counts->slots[longest] ? u : longest;
    unsigned instructions = instructions_of(&counts->free) + instructions_of(&counts->bound);
    return (struct work){.instructions = instructions + (unsigned)(counts->slots[longest] + 0.5F),
                         .free = parts_of(&counts->free, each),
                         .bound = parts_of(&counts->bound, each),
                         .unit = (uint8_t)longest};
}
