/* The variants and options of micro-decode. */
#ifndef MICRO_DECODE_VARIANTS_CUH
#define MICRO_DECODE_VARIANTS_CUH

#include "harness/device.h"
#include "harness/experiment.h"
#include "micro/decode/orders.cuh"

#define STANDARD_LAYERS MACHINE_OR_GPU("2", "16")
#define STANDARD_HIDDEN MACHINE_OR_GPU("2", "4")
#define STANDARD_GROUP MACHINE_OR_GPU("1", "4")
#define STANDARD_CACHE MACHINE_OR_GPU("32", "1024")
#define STANDARD_TOKENS MACHINE_OR_GPU("2", "8")
#define STANDARD_SLOTS MACHINE_OR_GPU("2", "6")
#define STANDARD_AHEAD MACHINE_OR_GPU("2", "3")

enum decode_id {
    LAUNCHES,
    GRAPH,
    GRAPH_PDL,
    COUNTER,
    COURIER,
    TILE_COUNTERS,
    FLAGS_IN_DATA,
    NO_ORDER,
    COPY,
    VARIANTS
};

#define ONE_GPU .special = "--gpus 1"
static const struct variant variants[VARIANTS] = {
    VARIANT(LAUNCHES, "launches", "one launch for each step, back to back", .ordered = true, .capability = 70,
            ONE_GPU),
    VARIANT(GRAPH, "graph", "the launches as one CUDA graph", .ordered = true, .graphs = GRAPHS,
            .capability = 70, ONE_GPU),
    VARIANT(GRAPH_PDL, "graph-pdl",
            "with programmatic dependent launch: a step loads weights while the step before runs",
            .ordered = true, .graphs = GRAPHS_PROGRAMMATIC, .capability = 90, ONE_GPU),
    VARIANT(COUNTER, "counter", "one launch: the grid barrier counter after each step", .ordered = true,
            .resident = true, .capability = 70, ONE_GPU),
    VARIANT(COURIER, "courier", "one launch: the grid barrier courier, by a warp of its own", .ordered = true,
            .resident = true, .capability = 70, ONE_GPU),
    VARIANT(TILE_COUNTERS, "tile-counters",
            "one launch: a warp waits for the counters of the tiles that it loads", .ordered = true,
            .resident = true, .capability = 70, ONE_GPU),
    VARIANT(FLAGS_IN_DATA, "flags-in-data",
            "one launch: a word of two results has a bit that is other in each run", .ordered = true,
            .resident = true, .waits = true, /* no graph can repeat a run, whose number is an argument */
            .capability = 70),
    VARIANT(NO_ORDER, "no-order",
            "one launch, nobody waits: the same loads and arithmetic, and wrong results", .unchecked = true,
            .capability = 70),
    VARIANT(COPY, "copy", "no decoding: a copy on the device that moves as many bytes as the weights are",
            .unchecked = true, ONE_GPU),
};

static int layers, hidden, group, cache, tokens, slots, ahead, ahead_by; /* values of --layers and so on */
enum { BY_NEED, FIXED };
static int members, on; /* values of --gpus and --on */
enum { ON_OWN, ON_ONE };

static bool share_a_grid(void)
{
    return device_is_machine() || on == ON_ONE;
}
static unsigned grids(void)
{
    return share_a_grid() ? 1 : (unsigned)members;
}

static bool can_do(const struct variant *v)
{
    return !v->special || members == 1;
}

/* Calls `call` with an object of the variant's order. */
template <class Call>
static void with_order(int id, Call call)
{
    switch (id) {
    case LAUNCHES:
    case GRAPH:
        return call(LaunchOrder());
    case GRAPH_PDL:
        return call(EarlyLaunchOrder());
    case COUNTER:
        return call(CounterOrder());
    case COURIER:
        return call(CourierOrder());
    case TILE_COUNTERS:
        return call(TileOrder());
    case FLAGS_IN_DATA:
        return members > 1 ? call(WordsOfGpusOrder()) : call(WordOrder());
    case NO_ORDER:
        return members > 1 ? call(NoOrderOfGpus()) : call(NoOrder());
    }
}

static bool is_launches(const struct variant *v)
{
    return v->id <= GRAPH_PDL;
}

/* ---- Options ---- */

static const struct extra_option options[] = {
    OPTION_OF_NUMBER("layers", 1, 1000, STANDARD_LAYERS, &layers, "layers of the decoder"),
    OPTION_OF_NUMBER("hidden", 1, 16, STANDARD_HIDDEN, &hidden,
                     "numbers between GATE_UP and DOWN, as a multiple of --size"),
    OPTION_OF_NUMBER("group", 1, MOST_HEADS_OF_GROUP, STANDARD_GROUP, &group,
                     "heads of 64 numbers that share their keys and values: 1, 2 or 4"),
    OPTION_OF_NUMBER("cache", CHUNK_TOKENS, 8192, STANDARD_CACHE, &cache,
                     "tokens in the cache, a multiple of 8"),
    OPTION_OF_NUMBER("tokens", 1, 1000, STANDARD_TOKENS, &tokens, "tokens of a run"),
    OPTION_OF_NUMBER("slots", 2, 64, STANDARD_SLOTS, &slots,
                     "slots of 4 KB for the weights of each of a block's 8 warps, at most"),
    OPTION_OF_NUMBER("ahead", 1, MOST_AHEAD, STANDARD_AHEAD, &ahead,
                     "copies of 4 KB that each of a block's four filling warps has under way, at most"),
    OPTION_OF_CHOICE("ahead-by", "need,fixed", "need", &ahead_by,
                     "need: fewer of these copies, the more slots are filled; fixed: always as many"),
    OPTION_OF_NUMBER("gpus", 1, GPUSYNC_MOST_GPUS, "1", &members,
                     "members that decode together: GPUs, unless --on one"),
    OPTION_OF_CHOICE("on", "own,one", "own", &on,
                     "own: each member is a GPU; one: all are blocks of one GPU"),
    {}};

#endif
