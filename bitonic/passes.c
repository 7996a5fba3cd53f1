#include "bitonic/passes.h"

#include <stdbool.h>
#include <string.h>

/* A step of the network: the stage of its merge, and the index bit in which the compared keys differ. */
struct step {
    int stage, bit;
};

static struct step next_step(struct step s)
{
    return s.bit ? (struct step){s.stage, s.bit - 1} : (struct step){s.stage + 1, s.stage};
}

static struct step step_before(struct step s)
{
    return s.bit < s.stage - 1 ? (struct step){s.stage, s.bit + 1} : (struct step){s.stage - 1, 0};
}

static unsigned bit(int number)
{
    return 1u << number;
}

/* A step of the step loop while it is being planned: step 0 or a pass. */
struct draft {
    int bits;                      /* log2 of the number of keys in a tile: R in bitonic/passes.h */
    int index_bit[MOST_TILE_BITS]; /* index_bit[l] is the index bit that is local bit l */
    unsigned in_tile;              /* the set of the index bits in `index_bit`, as a mask */
    /* `change` is as in struct sort_pass; `to` is the stage of the steps from the change on */
    int change, to;
    bool idle;
};

static bool is_idle(const struct draft *d, int local)
{
    return d->idle && local >= IDLE_FIRST && local < IDLE_FIRST + IDLE_BITS;
}

/* Returns the set of the index bits that are local bits low..low + count - 1. */
static unsigned bits_from(const struct draft *d, int low, int count)
{
    unsigned set = 0;
    for (int i = low; i < low + count; i++)
        set |= bit(d->index_bit[i]);
    return set;
}

static unsigned held_first(const struct draft *d)
{
    return bits_from(d, PHASE_LOW(d->bits, 0), LOG_HELD);
}

static unsigned held_last(const struct draft *d)
{
    return bits_from(d, 0, LOG_HELD);
}

/* Chooses the idle bits of pass `d`, if possible among the index bits of the tile of the preceding pass
 * `before`, so that both tiles have these bits. The lowest index bits are preferred, because the last pass's
 * tile has them, too. */
static void choose_idle(struct draft *d, const struct draft *before)
{
    unsigned candidates = before->in_tile & ~held_last(before) & ~d->in_tile & ~bit(d->to);
    for (int i = IDLE_FIRST; i < IDLE_FIRST + IDLE_BITS; i++) {
        unsigned from = candidates ? candidates : ~d->in_tile & ~bit(d->to);
        d->index_bit[i] = __builtin_ctz(from);
        d->in_tile |= bit(d->index_bit[i]);
        candidates &= ~bit(d->index_bit[i]);
    }
}

static struct draft draft_pass(int tile_bits, bool idle, struct step *s, const struct draft *before)
{
    struct draft d = {.bits = tile_bits, .change = -1, .idle = idle};
    for (int local = tile_bits - 1; local >= 0; local--) {
        if (is_idle(&d, local))
            continue;
        if (s->bit == s->stage - 1)
            d.change = local;
        d.index_bit[local] = s->bit;
        d.in_tile |= bit(s->bit);
        d.to = s->stage;
        *s = next_step(*s);
    }
    if (idle)
        choose_idle(&d, before);
    return d;
}

static struct draft draft_runs(int tile_bits)
{
    struct draft d = {.bits = tile_bits, .change = -1, .to = tile_bits, .in_tile = bit(tile_bits) - 1};
    for (int b = 0; b < tile_bits; b++)
        d.index_bit[b] = b;
    return d;
}

/*
 * Drafts step 0 and all passes; returns the number of passes. Passes are laid out from the last to the first,
 * so that the last one is on tiles of adjacent keys. The first pass may begin with steps that step 0 has
 * done: steps done again at the end of a merge change nothing.
 */
static int draft_all(int log_n, int tile_bits, struct draft *out)
{
    bool idle = log_n > 2 * tile_bits - IDLE_BITS;
    int steps = 0, each = idle ? tile_bits - IDLE_BITS : tile_bits, passes = 0;
    for (int stage = tile_bits + 1; stage <= log_n; stage++)
        steps += stage;
    out[0] = draft_runs(tile_bits);
    if (!steps)
        return 0;
    passes = 1 + (steps - tile_bits + each - 1) / each;
    struct step s = {tile_bits + 1, tile_bits};
    for (int again = (passes - 1) * each + tile_bits - steps; again > 0; again--)
        s = step_before(s);
    for (int k = 1; k <= passes; k++)
        out[k] = draft_pass(tile_bits, idle && k < passes, &s, &out[k - 1]);
    return passes;
}

/* ---- the order in which keys lie in memory between two steps of the step loop ---- */

static int local_bit(const struct draft *d, int index_bit)
{
    int local = 0;
    while (d->index_bit[local] != index_bit)
        local++;
    return local;
}

struct order {
    int count, index_bit[32]; /* index_bit[b] is the index bit that is bit b of a key's place in memory */
    unsigned used;
};

static void append(struct order *o, unsigned set)
{
    for (int b = 0; b < 32; b++)
        if (set & ~o->used & bit(b)) {
            o->index_bit[o->count++] = b;
            o->used |= bit(b);
        }
}

/* Appends to the order the index bits of local bits low..low + LOG_HELD - 1, lowest first, which is the order
 * of the registers. */
static void append_held(struct order *o, const struct draft *d, int low)
{
    for (int i = low; i < low + LOG_HELD; i++)
        append(o, bit(d->index_bit[i]));
}

/* ---- which local bits the bits of a thread's number stand for ---- */

#define LANE_BITS 5

/* For one phase, those bits of a key's place in the tile that are bits of the number of the thread that holds
 * the key, lowest bit first. The other bits of the place select one of the thread's registers. */
struct thread_bits {
    int count, local[MOST_TILE_BITS - LOG_HELD];
};

static bool is_held(const struct draft *d, int phase, int local)
{
    int low = PHASE_LOW(d->bits, phase);
    return local >= low && local < low + LOG_HELD;
}

/* Chooses the local bits of a thread's number for a phase. Bit r of the lane's number is a local bit that
 * equals r mod 5: if possible one of the index bits `wanted`, otherwise if possible none of the index bits
 * `unwanted`. */
static struct thread_bits share_out(const struct draft *d, int phase, unsigned wanted, unsigned unwanted)
{
    struct thread_bits t = {0};
    unsigned used = 0;
    for (int residue = 0; residue < LANE_BITS; residue++) {
        int best = residue, best_rank = -1;
        for (int local = residue; local < d->bits; local += LANE_BITS) {
            unsigned index = bit(d->index_bit[local]);
            int rank = wanted & index ? 2 : !(unwanted & index);
            if (!is_held(d, phase, local) && rank > best_rank)
                best = local, best_rank = rank;
        }
        t.local[t.count++] = best;
        used |= bit(best);
    }
    for (int local = 0; local < d->bits; local++)
        if (!is_held(d, phase, local) && !(used & bit(local)))
            t.local[t.count++] = local;
    return t;
}

static bool differ_mod_5(const struct draft *d, unsigned index_bits)
{
    unsigned residues = 0;
    for (int b = 0; b < 32; b++)
        if (index_bits & bit(b)) {
            unsigned residue = bit(local_bit(d, b) % LANE_BITS);
            if (residues & residue)
                return false;
            residues |= residue;
        }
    return true;
}

/* Returns the largest set of index bits that can be bits of the lane's number both when step `from` stores
 * and when step `to` loads. */
static unsigned common_lanes(const struct draft *from, const struct draft *to)
{
    unsigned common = from->in_tile & to->in_tile & ~held_last(from) & ~held_first(to), best = 0;
    for (unsigned set = common; set; set = (set - 1) & common)
        if (__builtin_popcount(set) > __builtin_popcount(best) && differ_mod_5(from, set) &&
            differ_mod_5(to, set))
            best = set;
    return best;
}

/* The boundary between two steps of the step loop: which threads store and load which keys, and the order of
 * the keys in memory. */
struct boundary {
    struct thread_bits storing, loading;
    unsigned weight[32]; /* weight[b] is what bit b of a key's index adds to the key's place in memory */
};

static unsigned lanes_of(const struct draft *d, const struct thread_bits *t)
{
    unsigned set = 0;
    for (int i = 0; i < LANE_BITS; i++)
        set |= bit(d->index_bit[t->local[i]]);
    return set;
}

static void append_line(struct order *o, const struct draft *from, const struct draft *to, unsigned common,
                        const struct thread_bits *loading)
{
    unsigned held = held_last(from) | held_first(to);
    unsigned candidates[3] = {common, lanes_of(to, loading) & ~held, ~held};
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < 32 && o->count < LOG_LINE; b++)
            append(o, candidates[i] & bit(b));
}

static struct boundary between(const struct draft *from, const struct draft *to)
{
    struct boundary out = {0};
    struct order o = {0};
    unsigned common = common_lanes(from, to);
    out.storing = share_out(from, PHASES - 1, common, 0);
    out.loading = share_out(to, 0, common, held_last(from));
    append_line(&o, from, to, common, &out.loading);
    append_held(&o, to, PHASE_LOW(to->bits, 0));
    append_held(&o, from, 0);
    append(&o, ~0u);
    for (int b = 0; b < 32; b++)
        out.weight[o.index_bit[b]] = bit(b);
    return out;
}

/* Returns the boundary before the step loop's first step or after its last one, where keys lie in the order
 * of their indices. */
static struct boundary at_end(const struct draft *d)
{
    struct boundary out = {0};
    out.storing = share_out(d, PHASES - 1, 0, 0);
    out.loading = share_out(d, 0, 0, 0);
    for (int b = 0; b < 32; b++)
        out.weight[b] = bit(b);
    return out;
}

/* ---- the tables ---- */

static unsigned in_memory(const struct draft *d, const struct boundary *b, const struct thread_bits *t,
                          unsigned thread)
{
    unsigned place = 0;
    for (int i = 0; i < t->count; i++)
        if (thread & bit(i))
            place += b->weight[d->index_bit[t->local[i]]];
    return place;
}

static unsigned in_shared(const struct thread_bits *t, unsigned thread)
{
    unsigned local = 0;
    for (int i = 0; i < t->count; i++)
        if (thread & bit(i))
            local |= bit(t->local[i]);
    return sort_place(local);
}

static void place_threads(const struct draft *d, const struct boundary *before, const struct boundary *after,
                          struct sort_thread *out)
{
    struct thread_bits phase[PHASES] = {before->loading, share_out(d, 1, 0, 0), after->storing};
    for (unsigned thread = 0; thread < bit(d->bits - LOG_HELD); thread++) {
        out[thread].load = in_memory(d, before, &before->loading, thread);
        out[thread].store = in_memory(d, after, &after->storing, thread);
        for (int p = 0; p < PHASES; p++)
            out[thread].place[p] = in_shared(&phase[p], thread);
    }
}

/* Fills `out` with the amount that TILE_TABLE bits of a tile's number, from bit `first` on, add to the places
 * of the tile's keys, for all values of these bits. The bits of a tile's number are the index bits that do
 * not differ within the tile. */
static void place_tiles(const struct draft *d, const struct boundary *before, const struct boundary *after,
                        int first, struct sort_base *out)
{
    for (unsigned number = 0; number < bit(TILE_TABLE); number++) {
        struct sort_base base = {0, 0, 0};
        int at = -first;
        for (int b = 0; b < 30; b++) {
            if (d->in_tile & bit(b))
                continue;
            if (at >= 0 && at < TILE_TABLE && number & bit(at)) {
                base.load += before->weight[b];
                base.store += after->weight[b];
                base.flip |= b == d->to ? ~0u : 0;
            }
            at++;
        }
        out[number] = base;
    }
}

static struct sort_runs runs_of(const struct draft *d, const struct boundary *after)
{
    struct sort_runs runs = {{0}, {0}};
    for (int i = 0; i < after->storing.count; i++)
        runs.index[i] = bit(after->storing.local[i]);
    for (int i = 0; i < LOG_HELD; i++)
        runs.store[i] = after->weight[d->index_bit[i]];
    return runs;
}

void plan_passes(int log_n, int tile_bits, struct sort_plan *out)
{
    struct draft draft[MOST_PASSES];
    memset(out, 0, sizeof *out);
    out->log_n = log_n;
    out->tile_bits = tile_bits;
    out->passes = draft_all(log_n, tile_bits, draft);
    struct boundary before = at_end(&draft[0]);
    for (int k = 0; k <= out->passes; k++) {
        const struct draft *d = &draft[k];
        struct boundary after = k < out->passes ? between(d, &draft[k + 1]) : at_end(d);
        if (k == 0)
            out->runs = runs_of(d, &after);
        out->pass[k] = (struct sort_pass){d->change, d->idle};
        place_threads(d, &before, &after, out->thread[k]);
        place_tiles(d, &before, &after, 0, out->low[k]);
        place_tiles(d, &before, &after, TILE_TABLE, out->high[k]);
        before = after;
    }
}
