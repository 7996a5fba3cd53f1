#include "bitonic/passes.h"

#include <string.h>

/* A step of the network: the merge that it belongs to, and the index bit that its keys differ in. */
struct step {
    int stage, bit;
};

static struct step next_step(struct step s)
{
    return s.bit ? (struct step){s.stage, s.bit - 1} : (struct step){s.stage + 1, s.stage};
}

static unsigned bit(int number)
{
    return 1u << number;
}

/* A pass while it is being planned: the index bits in it, and which index bit is which local bit. */
struct draft {
    unsigned in_tile, done;
    unsigned char local_bit[MOST_TILE_BITS];
    int free_place; /* the next local bit, downward */
};

static void assign(struct draft *draft, int index_bit)
{
    draft->local_bit[draft->free_place--] = (unsigned char)index_bit;
}

/* The lowest index bits that are in no step complete the tile. */
static void complete(struct draft *draft, int tile_bits)
{
    for (int b = 0; __builtin_popcount(draft->in_tile) < tile_bits; b++)
        draft->in_tile |= bit(b);
    for (int b = 31; b >= 0; b--)
        if (draft->in_tile & ~draft->done & bit(b))
            assign(draft, b);
}

/* As many steps as fit, from *s on. */
static struct draft take_steps(int log_n, int tile_bits, struct step *s, struct sort_pass *pass)
{
    struct draft draft = {.in_tile = bit(LOW_BITS) - 1, .free_place = tile_bits - 1};
    pass->change = -1;
    pass->from = s->stage;
    while (s->stage <= log_n && !(draft.done & bit(s->bit)) &&
           __builtin_popcount(draft.in_tile | bit(s->bit)) <= tile_bits) {
        if (s->stage != pass->from && pass->change < 0)
            pass->change = draft.free_place;
        pass->to = s->stage;
        draft.done |= bit(s->bit);
        draft.in_tile |= bit(s->bit);
        assign(&draft, s->bit);
        *s = next_step(*s);
    }
    pass->lowest = draft.free_place + 1;
    complete(&draft, tile_bits);
    return draft;
}

/* What a key's number, in the order of the indices, contributes to its index and its place. */
static struct sort_thread place_key(const struct draft *draft, int tile_bits, unsigned number)
{
    struct sort_thread t = {0, 0};
    unsigned local = 0;
    int i = 0;
    for (int b = 0; b < 32; b++)
        for (int p = 0; p < tile_bits; p++)
            if (draft->in_tile & bit(b) && draft->local_bit[p] == b && number & bit(i++)) {
                t.index |= bit(b);
                local |= bit(p);
            }
    t.place = sort_place(local);
    return t;
}

static void place_keys(const struct draft *draft, int tile_bits, struct sort_pass *pass,
                       struct sort_thread *threads)
{
    unsigned count = 1u << (tile_bits - LOG_HELD);
    for (unsigned q = 0; q < PACKS; q++) {
        struct sort_thread first = place_key(draft, tile_bits, 4 * count * q);
        pass->index_of_pack.of[q] = first.index;
        pass->place_of_pack.of[q] = first.place;
    }
    for (unsigned k = 0; k < 4; k++)
        pass->place_of_key.of[k] = place_key(draft, tile_bits, k).place;
    for (unsigned t = 0; t < count; t++)
        threads[t] = place_key(draft, tile_bits, 4 * t);
}

/* A tile's number fills the index bits that do not differ in it: in no more than four runs, since a pass's steps are on
 * at most two runs of bits, and the bits that complete it begin with the lowest. */
static void place_tiles(const struct draft *draft, int log_n, struct sort_pass *pass)
{
    int number = 0, runs = 0;
    for (int b = 0; b < log_n; b++) {
        if (draft->in_tile & bit(b))
            continue;
        unsigned shift = (unsigned)(b - number);
        if (runs == 0 || pass->tile_shift.of[runs - 1] != shift)
            pass->tile_shift.of[runs++] = shift;
        pass->tile_mask.of[runs - 1] |= bit(number++);
    }
}

void plan_passes(int log_n, int tile_bits, struct sort_plan *out)
{
    struct step s = {tile_bits + 1, tile_bits};
    memset(out, 0, sizeof *out);
    out->log_n = log_n;
    while (s.stage <= log_n) {
        struct sort_pass *pass = &out->pass[out->passes];
        struct draft draft = take_steps(log_n, tile_bits, &s, pass);
        place_keys(&draft, tile_bits, pass, out->thread[out->passes++]);
        place_tiles(&draft, log_n, pass);
    }
}
