/* Formula functions that serve one paper or one program. */
#include "report/formula.h"
#include "report/papers/listing.h"
#include "report/papers/shuffle.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

static struct value share(const struct call *call)
{
    const struct result *r = call->result, *micro = sources_result(call->sources, "micro-barrier");
    const char *variant = call->argument[1], *part = call->argument[2];
    if (!result_has(r, variant))
        return value_missing(variant, call->argument[0]);
    struct shares s = shares_of(r, micro, variant);
    return value_exactly(strcmp(part, "computation") == 0 ? s.computation
                         : strcmp(part, "refill") == 0    ? s.refill
                                                          : s.rest);
}

/* ---- formula functions for chains of warps, with the arguments VARIANT, WARPS ---- */

#define CHAIN "micro-producer-consumer"

static struct value no_chain(const struct result *r, const cJSON *point, const char *variant,
                             const char *name)
{
    return value_missing(!r ? "no result" : point ? name : variant, CHAIN);
}

static struct value chain_cycles(const struct call *call)
{
    double warps = call_number(call, 1);
    const struct result *r = sources_result(call->sources, CHAIN);
    const cJSON *point = r ? result_point(r, call->argument[0], -1, 32 * warps, -1) : NULL;
    return point ? value_scaled(value_of_timing(run_time(r, point)), 1e-6 * r->clock_hz)
                 : no_chain(r, point, call->argument[0], "");
}

static struct value chain_field(const struct call *call)
{
    double warps = call_number(call, 1);
    const struct result *r = sources_result(call->sources, CHAIN);
    const cJSON *point = r ? result_point(r, call->argument[0], -1, 32 * warps, -1) : NULL;
    double number = number_of(point, call->argument[2]);
    return isnan(number) ? no_chain(r, point, call->argument[0], call->argument[2]) : value_exactly(number);
}

/* ---- Li 2015 ---- */

/* The machine notes the time between the barriers of a kernel, from its first instruction to its last. */
static struct value kernel_cycles(const struct call *call)
{
    const char *variant = call->argument[1];
    const cJSON *point = result_point(call->result, variant, -1, -1, -1), *interval;
    double cycles = 0;
    cJSON_ArrayForEach(interval, cJSON_GetObjectItem(point, "intervals")) cycles +=
        cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 0));
    return cycles > 0 ? value_exactly(cycles)
                      : value_missing(point ? "the time of the kernel alone" : variant, call->argument[0]);
}

/* number of letters along a side of a tile of Li 2015 (nw/tiles.cuh) */
#define TILE_LETTERS 31

/* Returns how many rounds of blocks the launches of all diagonals have if each multiprocessor takes one block
 * at a time and no launch begins before the preceding one has ended. */
static double rounds_of_blocks(double letters, int sms)
{
    int tiles = (int)ceil(letters / TILE_LETTERS), rounds = 0;
    for (int diagonal = 1; diagonal < 2 * tiles; diagonal++) {
        int on_diagonal = diagonal < tiles ? diagonal : 2 * tiles - diagonal;
        rounds += (on_diagonal + sms - 1) / sms;
    }
    return rounds;
}

static struct value spread_by_round(const struct call *call)
{
    const struct result *r = call->result;
    double least = INFINITY, most = 0;
    if (!result_has(r, call->argument[1]))
        return value_missing(call->argument[1], call->argument[0]);
    FOR_EACH_POINT(p, r)
    if (point_is(p, call->argument[1])) {
        double us = run_time(r, p).us / rounds_of_blocks(number_of(p, "size"), r->sms);
        least = fmin(least, us);
        most = fmax(most, us);
    }
    return value_exactly(most / least);
}

/* ---- Wang 2017 ---- */

static struct value model(const struct call *call)
{
    const char *folder = call->sources->folder;
    if (!folder_has(folder, SHUFFLE_MODEL))
        return value_missing("no shuffles beside shared memory", "");
    double number = shuffle_number(folder, call->argument[0], call->argument[1]);
    return isfinite(number) ? value_exactly(number) : value_missing(call->argument[1], call->argument[0]);
}

const struct formula_function paper_functions[] = {
    {"chain", "VARIANT, WARPS", "micro-producer-consumer", chain_cycles,
     "the time of a run of micro-producer-consumer with a chain of WARPS warps, in clock cycles"},
    {"of_warps", "VARIANT, WARPS, NAME", "micro-producer-consumer", chain_field,
     "the number NAME of that point of micro-producer-consumer"},
    {"kernel", "FILE, VARIANT", NULL, kernel_cycles,
     "the clock cycles of a kernel from its first instruction to its last, without its launch; for a "
     "machine"},
    {"by_round", "FILE, VARIANT", NULL, spread_by_round,
     "the longest over the shortest time of a round of blocks in all launches of nw, over the sizes"},
    {"share", "FILE, VARIANT, PART", NULL, share,
     "the percentage of the variant's time, with its best number of blocks, in PART: `computation`, `refill` "
     "(of L1 caches) or `rest`"},
    {"model", "KERNEL, NAME", "micro-latency", model,
     "a number of Wang's performance model of SW1, SW2, PH1 or PH2 (report/papers/shuffle.h)"},
};
const size_t paper_functions_count = sizeof paper_functions / sizeof *paper_functions;
