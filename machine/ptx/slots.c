/* Finds which registers of a function are in use at the same time, and gives registers that are not one
 * slot. */
#include "base/memory.h"
#include "machine/ptx/decode.h"

#include <stdlib.h>
#include <string.h>

struct flow {
    const struct ptx_graph *graph;
    const struct ptx_body *body;
    const unsigned char *results;
    size_t words; /* number of words of a set of registers */
    /* for each block: the set of the registers that it uses before it writes them, the set that it writes,
     * and the set that is live at its beginning */
    uint64_t *used, *written, *live;
};

/* ---- which registers are live ---- */

static void set(uint64_t *words, uint32_t number)
{
    words[number / 64] |= UINT64_C(1) << number % 64;
}

/* Calls `see` with each register of the argument. */
static void registers_of(const struct ptx_argument *argument, void (*see)(void *, uint32_t), void *context)
{
    if (argument->variable && argument->variable->space == PTX_REGISTER)
        see(context, argument->variable->number);
    for (unsigned i = 0; i < argument->count; i++)
        registers_of(&argument->items[i], see, context);
}

struct sets {
    uint64_t *used, *written;
};

static void see_use(void *context, uint32_t number)
{
    const struct sets *sets = context;
    if (!(sets->written[number / 64] >> number % 64 & 1))
        set(sets->used, number);
}

static void see_write(void *context, uint32_t number)
{
    set(((const struct sets *)context)->written, number);
}

/* Are the argument's registers written, and not read? In an address they are read, even if it is the first
 * argument. */
static bool is_result(const struct flow *flow, size_t at, unsigned argument)
{
    return argument < flow->results[at] &&
           flow->body->statements[at].arguments[argument].kind != PTX_IS_ADDRESS;
}

static void visit(const struct flow *flow, size_t at, bool results, void (*see)(void *, uint32_t),
                  void *context)
{
    const struct ptx_statement *statement = &flow->body->statements[at];
    if (statement->guard && !results)
        see(context, statement->guard->number);
    for (unsigned a = 0; a < statement->argument_count; a++)
        if (is_result(flow, at, a) == results)
            registers_of(&statement->arguments[a], see, context);
}

static void live_at_end(const struct flow *flow, const struct ptx_basic_block *block, uint64_t *live)
{
    memset(live, 0, flow->words * sizeof *live);
    for (unsigned way = 0; way < block->ways; way++)
        for (size_t w = 0; block->to[way] != flow->graph->count && w < flow->words; w++)
            live[w] |= flow->live[block->to[way] * flow->words + w];
}

static void find_live(struct flow *flow)
{
    size_t words = flow->words = ((size_t)flow->body->register_count + 63) / 64;
    flow->used = allocate((flow->graph->count * words + 1) * sizeof *flow->used);
    flow->written = allocate((flow->graph->count * words + 1) * sizeof *flow->written);
    flow->live = allocate((flow->graph->count * words + 1) * sizeof *flow->live);
    uint64_t *end = allocate((words + 1) * sizeof *end);
    for (size_t b = 0; b < flow->graph->count; b++) {
        struct sets sets = {flow->used + b * words, flow->written + b * words};
        for (size_t i = flow->graph->blocks[b].first; i < flow->graph->blocks[b].end; i++) {
            visit(flow, i, false, see_use, &sets);
            /* a guarded instruction leaves the register as it was in some lanes */
            if (!flow->body->statements[i].guard)
                visit(flow, i, true, see_write, &sets);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = flow->graph->count; b-- > 0;) {
            live_at_end(flow, &flow->graph->blocks[b], end);
            for (size_t w = 0; w < words; w++) {
                size_t at = b * words + w;
                uint64_t live = flow->used[at] | (end[w] & ~flow->written[at]);
                changed = changed || live != flow->live[at];
                flow->live[at] = live;
            }
        }
    }
    free(end);
}

/* ---- slots ---- */

struct range {
    size_t first, last; /* statements between which the register is in use */
    uint32_t number;
};

struct ranges {
    struct range *of;
    size_t at;
};

static void see_range(void *context, uint32_t number)
{
    const struct ranges *ranges = context;
    struct range *range = &ranges->of[number];
    range->first = ranges->at < range->first ? ranges->at : range->first;
    range->last = ranges->at > range->last ? ranges->at : range->last;
}

static void see_live(const struct flow *flow, struct ranges *ranges, const uint64_t *live, size_t at)
{
    ranges->at = at;
    for (size_t w = 0; w < flow->words; w++)
        for (uint64_t left = live[w]; left; left &= left - 1)
            see_range(ranges, (uint32_t)(64 * w + (size_t)__builtin_ctzll(left)));
}

static void find_ranges(const struct flow *flow, struct range *of)
{
    struct ranges ranges = {of, 0};
    uint64_t *end = allocate((flow->words + 1) * sizeof *end);
    for (uint32_t r = 0; r < flow->body->register_count; r++)
        of[r] = (struct range){SIZE_MAX, 0, r};
    for (size_t b = 0; b < flow->graph->count; b++) {
        const struct ptx_basic_block *block = &flow->graph->blocks[b];
        see_live(flow, &ranges, flow->live + b * flow->words, block->first);
        live_at_end(flow, block, end);
        see_live(flow, &ranges, end, block->end - 1);
        for (ranges.at = block->first; ranges.at < block->end; ranges.at++) {
            visit(flow, ranges.at, false, see_range, &ranges);
            visit(flow, ranges.at, true, see_range, &ranges);
        }
    }
    free(end);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->number > y->number) - (x->number < y->number);
}

/* The sizes of slots, and the slots of one size: for each, the statement after which it is free. */
enum { PREDICATES, WORDS, DOUBLE_WORDS, QUAD_WORDS, SIZES };
static const uint32_t slot_bytes[SIZES] = {4, 4 * PTX_LANES, 8 * PTX_LANES, 16 * PTX_LANES};

static unsigned size_of(const struct ptx_variable *variable)
{
    return !variable->width       ? PREDICATES
           : variable->width <= 4 ? WORDS
           : variable->width == 8 ? DOUBLE_WORDS
                                  : QUAD_WORDS;
}

struct pool {
    size_t *free_after;
    uint32_t count;
};

/* Takes a slot for a register in use from `first` to `last`. A slot can be taken in the statement that
 * reads its register for the last time, unless that statement writes one result before it reads all
 * operands; so it is taken from the next statement on. */
static uint32_t take_slot(struct pool *pool, size_t first, size_t last)
{
    uint32_t slot = 0;
    while (slot < pool->count && pool->free_after[slot] >= first)
        slot++;
    if (slot == pool->count) {
        pool->free_after = with_room(pool->free_after, sizeof *pool->free_after, pool->count, 1);
        pool->count++;
    }
    pool->free_after[slot] = last;
    return slot;
}

uint32_t *ptx_slots_find(const struct ptx_graph *graph, const unsigned char *results, uint32_t ends[4])
{
    const struct ptx_body *body = graph->body;
    struct flow flow = {.graph = graph, .body = body, .results = results};
    struct pool pools[SIZES] = {0};
    struct range *ranges = allocate((body->register_count + 1) * sizeof *ranges);
    uint32_t *slots = allocate((body->register_count + 1) * sizeof *slots);
    uint32_t begin[SIZES], end = 4; /* the first word has the carry bits (code.h) */
    find_live(&flow);
    find_ranges(&flow, ranges);
    qsort(ranges, body->register_count, sizeof *ranges, compare_ranges);
    for (const struct range *r = ranges; r < ranges + body->register_count; r++)
        if (r->first != SIZE_MAX)
            slots[r->number] = take_slot(&pools[size_of(body->registers[r->number])], r->first, r->last);
    for (unsigned s = 0; s < SIZES; s++) {
        begin[s] = s == PREDICATES ? end : (end + 63) / 64 * 64;
        end = begin[s] + pools[s].count * slot_bytes[s];
        ends[s] = (end + 63) / 64 * 64;
        free(pools[s].free_after);
    }
    for (uint32_t r = 0; r < body->register_count; r++) {
        unsigned size = size_of(body->registers[r]);
        slots[r] = begin[size] + slots[r] * slot_bytes[size];
    }
    free(ranges);
    free(flow.used);
    free(flow.written);
    free(flow.live);
    return slots;
}
