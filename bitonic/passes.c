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

/* The lowest index bits that are in no step complete the tile. Returns the next free local bit, downward. */
static void complete(struct sort_pass *pass, int tile_bits, int place, unsigned done)
{
    for (int b = 0; __builtin_popcount(pass->in_tile) < tile_bits; b++)
        pass->in_tile |= bit(b);
    for (int b = 31; b >= 0; b--)
        if (pass->in_tile & ~done & bit(b))
            pass->local_bit[place--] = (unsigned char)b;
}

static void order_by_index(struct sort_pass *pass, int tile_bits)
{
    int count = 0;
    for (int b = 0; b < 32; b++)
        for (int p = 0; p < tile_bits; p++)
            if (pass->in_tile & bit(b) && pass->local_bit[p] == b) {
                pass->index_bit[count] = (unsigned char)b;
                pass->place_bit[count++] = (unsigned short)sort_place(bit(p));
            }
}

/* What a key's number in the order of the indices contributes to its index and its place. */
static void place_keys(struct sort_pass *pass, int tile_bits)
{
    int log_threads = tile_bits - LOG_HELD;
    for (unsigned q = 0; q < PACKS; q++)
        for (int i = 0; i < LOG_HELD - 2; i++)
            if (q & bit(i)) {
                pass->index_of_pack[q] |= bit(pass->index_bit[log_threads + 2 + i]);
                pass->place_of_pack[q] ^= pass->place_bit[log_threads + 2 + i];
            }
    for (unsigned k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++)
            pass->place_of_key[k] ^= k & bit(i) ? pass->place_bit[i] : 0u;
}

/* As many steps as fit, from *s on. */
static struct sort_pass take_steps(int log_n, int tile_bits, struct step *s)
{
    struct sort_pass pass = {.change = -1, .from = (unsigned char)s->stage, .in_tile = bit(LOW_BITS) - 1};
    unsigned done = 0;
    int place = tile_bits - 1;
    while (s->stage <= log_n && !(done & bit(s->bit)) &&
           __builtin_popcount(pass.in_tile | bit(s->bit)) <= tile_bits) {
        if (s->stage != pass.from && pass.change < 0)
            pass.change = (signed char)place;
        pass.to = (unsigned char)s->stage;
        done |= bit(s->bit);
        pass.in_tile |= bit(s->bit);
        pass.local_bit[place--] = (unsigned char)s->bit;
        *s = next_step(*s);
    }
    pass.lowest = (signed char)(place + 1);
    complete(&pass, tile_bits, place, done);
    order_by_index(&pass, tile_bits);
    place_keys(&pass, tile_bits);
    return pass;
}

void plan_passes(int log_n, int tile_bits, struct sort_plan *out)
{
    struct step s = {tile_bits + 1, tile_bits};
    memset(out, 0, sizeof *out);
    out->log_n = log_n;
    while (s.stage <= log_n)
        out->pass[out->passes++] = take_steps(log_n, tile_bits, &s);
}
