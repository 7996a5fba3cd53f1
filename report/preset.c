/* Makes a machine description of the results of micro-components. One file because its functions add to one
 * list of constants. */
#include "report/preset.h"
#include "base/failure.h"
#include "micro/components/component_loops.h"
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parts {
    const struct result *r;
    const struct result *added; /* a later result, for parts that `r` does not have; NULL if there is none */
    double most;                /* the largest number of blocks with which micro-components was measured */
    double cycles_per_ns;
    cJSON *constants;
};

/* Has a time since the last constant come from the later result? The next constant's source then says so. */
static bool is_later;

/* Returns the result that has the component `part` with this number of blocks. */
static const struct result *result_with(const struct parts *p, const char *part, double blocks)
{
    bool is_added =
        p->added && isnan(operation_us(p->r, part, blocks)) && !isnan(operation_us(p->added, part, blocks));
    is_later = is_later || is_added;
    return is_added ? p->added : p->r;
}

static double part_ns(const struct parts *p, const char *part, double blocks)
{
    return 1e3 * operation_us(result_with(p, part, blocks), part, blocks);
}

#define INSTRUCTION_TIME 3.555 /* number of clock cycles between two consecutive instructions of a warp */

/* Returns how many iterations of the loop in the component `part` of micro-components the compiler unrolls
 * into one. */
static int turns_of(const char *part)
{
    return strcmp(part, "loop") == 0 ? 1 : TURNS;
}

/* Returns how many instructions the machine counts for an operation of the component `part` besides the
 * operation itself: the further instructions of the component, and the operation's share of the loop's
 * instructions. The loop's instructions take no extra time if each operation waits for the result of the
 * operation before it. */
static double beside(const char *part)
{
    static const struct {
        const char *part;
        int own;
        bool waits;
    } loops[] = {{"loop", 1, false},
                 {"divide", 2, false},
                 {"clock64", 2, false},
                 {"l1-load", 1, true},
                 {"l2-load", 1, true},
                 {"peer-load", 1, true},
                 {"shared-load", 1, true},
                 {"shuffle", 0, true},
                 {"syncwarp", 0, false},
                 {"syncthreads", 0, false},
                 {"syncthreads-1-warp", 0, false},
                 {"syncthreads-32-warps", 0, false},
                 {"atomic", 2, true},
                 {"shared-atomic", 2, true},
                 {"fence-block", 0, false},
                 {"fence", 0, false},
                 {"fence-release", 0, false},
                 {"fence-acquire", 0, false},
                 {"fence-system", 0, false},
                 {"fence-release-system", 0, false},
                 {"fence-acquire-system", 0, false}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(loops[i].part, part) == 0)
            return loops[i].own + (loops[i].waits ? 0 : 3.0 / turns_of(part));
    return 0;
}

/* Returns the time of an operation of the component `part` in ns, less the time of the instructions around it
 * (beside()), or NaN if the component was not measured. */
static double without_instructions_ns(const struct parts *p, const char *part, double blocks)
{
    return part_ns(p, part, blocks) - beside(part) * INSTRUCTION_TIME / p->cycles_per_ns;
}

/* Returns the latency of the component `part` in ns: the time of an operation without the instructions around
 * it and without its share of the loop's branch. The component `loop` measures the branch. */
static double latency_ns(const struct parts *p, const char *part, double blocks)
{
    double ns = without_instructions_ns(p, part, blocks), branch = without_instructions_ns(p, "loop", 1);
    if (!isnan(branch) && turns_of(part) > 1)
        ns -= branch / turns_of(part);
    return ns < 0 ? 0 : ns;
}

/* Adds a constant to the description. A constant that is 0 is left out, because the machine takes a missing
 * one as 0 (machine/description.c). */
static void add(const struct parts *p, const char *name, double value, bool is_ns, const char *source)
{
    const char *later =
        is_later ? made("; measured later, by revision %s", text_of(p->added->json, "revision")) : "";
    is_later = false;
    if (value == 0)
        return;
    cJSON *constant = cJSON_AddObjectToObject(p->constants, name);
    cJSON_AddNumberToObject(constant, "value", value);
    if (is_ns)
        cJSON_AddStringToObject(constant, "unit", "ns");
    cJSON_AddStringToObject(constant, "source", made("%s%s", source, later));
}

/* Returns the difference of the times of two parts in ns, or NaN if one of them was not measured. Both times
 * come from the same result. */
static double more_ns(const struct parts *p, const char *part, double blocks, const char *than, double of)
{
    const struct result *r = result_with(p, part, blocks);
    return 1e3 * (operation_us(r, part, blocks) - operation_us(r, than, of));
}

/* Adds a constant in nanoseconds to the description, unless it was not measured and is NaN. */
static void add_ns(const struct parts *p, const char *name, double ns, const char *what)
{
    add(p, name, isnan(ns) ? 0 : round(ns * 1000) / 1000, true, made("micro-components: %s", what));
}

/* Adds the constant global_spread: how much a load's time depends on the multiprocessor and the line. With
 * many blocks that poll one line each, the slowest load decides the time. */
static void add_spread(const struct parts *p)
{
    double ns = more_ns(p, "poll", p->r->sms, "poll", 1);
    add_ns(p, "global_spread", isnan(ns) ? NAN : fmax(0, ns),
           made("poll with %d blocks less that with 1", p->r->sms));
}

/* Adds a constant to the description: the latency of the component `part` with one block. With `alone`, the
 * text in the constant's source says "with 1 block". */
static void add_part(const struct parts *p, const char *name, const char *part, bool alone)
{
    add_ns(p, name, latency_ns(p, part, 1),
           made("%s%s%s", part, alone ? " with 1 block" : "",
                !isnan(part_ns(p, "loop", 1)) || beside(part) > 0 ? ", without the instructions of its loop"
                                                                  : ""));
}

static void add_serial(const struct parts *p, const char *name, const char *part)
{
    bool wait = part_ns(p, part, p->most) > 1.5 * part_ns(p, part, 1);
    add_ns(p, name, wait ? part_ns(p, part, p->most) / p->most : 0,
           made("%s with %g blocks, divided by them, if they wait for each other", part, p->most));
}

/* Adds the time of an mbarrier operation of one lane, twice: as measured with one warp of 32 lanes, and with
 * the largest number of blocks, where all warps of a multiprocessor operate on mbarriers. */
static void add_mbarriers(const struct parts *p)
{
    double one = part_ns(p, "mbarrier-try-32", 1) / 32, warps = p->most / p->r->sms,
           all = part_ns(p, "mbarrier-try-32", p->most) / warps / 32;
    add_ns(p, "mbarrier_serial", all,
           "mbarrier-try-32 with most blocks, divided by a multiprocessor's threads");
    add_ns(p, "mbarrier_lane", one, "mbarrier-try-32 with 1 block, divided by 32");
}

/* Adds a constant to the description: a difference in ns, at least 0. If one of its parts was not measured,
 * leaves the constant out; the machine then does not model the effect. */
static void add_more(const struct parts *p, const char *name, double ns, const char *what)
{
    add_ns(p, name, isnan(ns) ? NAN : fmax(0, ns), what);
}

/* Adds constants of components in which lanes, warps or blocks meet. They are differences of two components,
 * with a block on every multiprocessor. */
static void add_meetings(const struct parts *p)
{
    double all = p->r->sms;
    add_more(p, "match_value_latency", more_ns(p, "match", all, "match-equal", all) / 31,
             "what match takes longer than match-equal, divided by 31 values");
    add_more(p, "cluster_barrier_latency", more_ns(p, "cluster-barrier", all, "fence-release", all),
             "what cluster-barrier takes longer than fence-release");
    add_more(p, "cluster_barrier_latency_of_32",
             more_ns(p, "cluster-barrier-32-warps", all, "fence-release", all),
             "what cluster-barrier-32-warps takes longer than fence-release");
}

/* Adds the time that a load takes longer if its line must come from the other half of L2. With a block on
 * every multiprocessor, some blocks are in another half than the blocks whose lines they load, and the
 * slowest block counts. */
static void add_crossing(const struct parts *p)
{
    add_more(p, "crossing_latency", more_ns(p, "l2-load-written", p->r->sms, "l2-load-unwritten", p->r->sms),
             made("what l2-load-written takes longer than l2-load-unwritten, with %d blocks", p->r->sms));
}

/* Adds the constants of the shared memory of the other blocks of a cluster: the latency, and how many lines
 * of 128 bytes a multiprocessor sends in a time unit. */
static void add_cluster_memory(const struct parts *p)
{
    double lines = 32 / (part_ns(p, "cluster-store-32-warps", 1) * p->cycles_per_ns);
    if (isnan(lines))
        return;
    add_more(p, "cluster_load_latency", latency_ns(p, "cluster-load", p->r->sms),
             "cluster-load with a block on every multiprocessor, without its share of the loop's branch");
    add(p, "cluster_groups_per_unit", round(lines * 1000) / 1000, false,
        "micro-components: the 32 lines of cluster-store-32-warps with 1 block; lines of 128 bytes a cycle");
}

/* Adds the two constants for lanes that take turns at a word of shared memory: `lane` from the component
 * `lanes`, which has one warp, and `serial` from the component `warps`, which has several. */
static void add_turns(const struct parts *p, const char *lane, const char *serial, const char *one,
                      const char *lanes, const char *warps)
{
    add_more(p, lane, more_ns(p, lanes, 1, one, 1) / 31,
             made("what %s takes longer than %s, for each of 31 lanes", lanes, one));
    add_more(p, serial, part_ns(p, warps, 1) / 1024, made("%s divided by its 1,024 lanes", warps));
}

/* Adds the constants for atomics in shared memory that nvcc implements as loops. */
static void add_loops(const struct parts *p)
{
    add_more(p, "shared_loop_lane", part_ns(p, "shared-loop-lanes", 1) / 32,
             "shared-loop-lanes divided by its lanes");
    add_more(p, "shared_loop_64_lane", part_ns(p, "shared-loop-64-lanes", 1) / 32,
             "shared-loop-64-lanes divided by its lanes");
    add_more(p, "shared_loop_serial", part_ns(p, "shared-loop-warps", 1) / 256,
             "shared-loop-warps divided by its 256 lanes");
}

/* Adds the time of a fence after a load, and by how much longer it takes on multiprocessors that are far
 * from the loaded word. */
static void add_fence_load(const struct parts *p)
{
    double near = more_ns(p, "fence-after-load", 1, "l2-load", 1);
    add_more(p, "fence_load_latency", near, "what fence-after-load takes longer than l2-load, with 1 block");
    double far = more_ns(p, "fence-after-load", p->r->sms, "l2-load", p->r->sms);
    add_more(p, "fence_load_far_latency", far - near,
             made("the same with %d blocks less that with 1", p->r->sms));
}

/* Adds the time of a poll of an mbarrier by all lanes of a warp. On average, an arrival comes halfway between
 * two loads of the word, so the time of a hop contains one and a half loads. */
static void add_mbarrier_poll(const struct parts *p)
{
    double ns = part_ns(p, "mbarrier-hop-all", 1) - part_ns(p, "mbarrier-arrive", 1) -
                1.5 * latency_ns(p, "shared-load", 1);
    add_more(p, "mbarrier_poll_latency", isnan(ns) ? ns : fmax(1 / p->cycles_per_ns, ns),
             "what mbarrier-hop-all takes longer than mbarrier-arrive and one and a half shared-load, with 1 "
             "block");
}

static void add_launch(const struct parts *p, const char *name, const char *part, int blocks)
{
    add_ns(p, name, part_ns(p, part, blocks),
           made("%s with %d block%s", part, blocks, blocks == 1 ? "" : "s"));
}

static void add_fact(const struct parts *p, const char *name)
{
    add(p, name, number_of(p->r->device, name), false, "CUDA runtime");
}

/* Adds two constants: how many units execute atomics, and how many consecutive lines belong to one unit. One
 * unit executes all atomics on one address, so their time is the time that a unit takes for an atomic.
 * Atomics on the 32 words of a line take a unit four times as long. */
static void add_atomic_units(const struct parts *p)
{
    double turn = part_ns(p, "atomic", p->most) / p->most,
           apart = part_ns(p, "atomic-apart", p->most) / p->most,
           lines = part_ns(p, "atomic-lines", p->most) / p->most;
    bool measured = !isnan(apart) && !isnan(lines);
    add(p, "atomic_units", measured ? round(4 * turn / apart) : 0, false,
        "micro-components: four turns of atomic in the time of atomic-apart, both with most blocks");
    add(p, "atomic_unit_lines", measured ? fmax(1, round(lines / turn)) : 0, false,
        "micro-components: atomic-lines through atomic, both with most blocks");
}

static void add_launch_graph_block(const struct parts *p)
{
    double more = part_ns(p, "launch-graph", p->r->sms) - part_ns(p, "launch-graph", 1);
    add_ns(p, "launch_graph_block", fmax(0, more) / (p->r->sms - 1),
           made("launch-graph with %d blocks less that with 1, for each other block", p->r->sms));
}

/* Adds two constants: the extra time of atomics from multiprocessors that are far from the word, and the
 * number of near multiprocessors. An atomic takes little time with one block, and more with a block on every
 * multiprocessor. The number of near multiprocessors is the largest power of two of blocks with which it
 * takes less than the mean of these two times. */
static void add_far_atomics(const struct parts *p)
{
    double near = part_ns(p, "atomic", 1), all = part_ns(p, "atomic", p->r->sms), blocks = 1;
    if (isnan(all) || all < 1.2 * near)
        return;
    while (2 * blocks < p->r->sms && part_ns(p, "atomic", 2 * blocks) < (near + all) / 2)
        blocks *= 2;
    add_ns(p, "atomic_far_latency", all - near, made("atomic with %d blocks less that with 1", p->r->sms));
    add(p, "atomic_near_multiprocessors", blocks, false,
        "micro-components: atomic takes less than half of that longer with so many blocks");
}

/* Adds the time of a fence after a store, counted from the end of the store, and by how much longer it takes
 * on multiprocessors that are far from the word. */
static void add_fence_store(const struct parts *p)
{
    double near = part_ns(p, "fence-after-store", 1) - part_ns(p, "l2-load", 1),
           far = part_ns(p, "fence-after-store", p->r->sms) - part_ns(p, "l2-load", p->r->sms);
    add_ns(p, "fence_store_latency", fmax(0, near),
           "what fence-after-store takes longer than l2-load, with 1 block");
    add_ns(p, "fence_store_far_latency", fmax(0, far - fmax(0, near)),
           made("the same with %d blocks less that with 1", p->r->sms));
}

/* Adds the time from the end of a kernel to the start of the next one, as a constant. It is measured with a
 * first kernel that runs longer than the host takes to launch the next. */
static void add_launch_behind(const struct parts *p)
{
    double ns = part_ns(p, "launch-behind", p->r->sms) - LONG_KERNEL_CYCLES / p->cycles_per_ns;
    add_ns(
        p, "launch_behind", ns,
        made("launch-behind with %d blocks, without the kernel's %d cycles", p->r->sms, LONG_KERNEL_CYCLES));
}

/* Adds the extra time of a load in a polling loop, as a constant: the time of an iteration less the latency
 * of the load alone and the two instructions that compare and branch. */
static void add_poll(const struct parts *p, const char *name, const char *poll, const char *load,
                     double blocks)
{
    double ns =
        part_ns(p, poll, blocks) - latency_ns(p, load, blocks) - 2 * INSTRUCTION_TIME / p->cycles_per_ns;
    add_ns(p, name, ns,
           made("what %s takes longer than %s and two instructions, with %g blocks", poll, load, blocks));
}

/* Adds the extra time of the branch with which a polling loop ends, at least a clock cycle. This is the time
 * of a hop less a load and half a poll: in a hop the store comes on average in the middle between two polls,
 * and the next load sees it. */
static void add_poll_leave(const struct parts *p)
{
    int sms = p->r->sms;
    double ns = part_ns(p, "hop", sms) - part_ns(p, "poll", sms) / 2 - latency_ns(p, "l2-load", sms);
    if (!isnan(ns))
        add_ns(
            p, "poll_leave_latency", fmax(1 / p->cycles_per_ns, ns),
            made("what hop takes longer than l2-load and half a poll, with %d blocks; at least a clock cycle",
                 sms));
}

/* Adds how many lines of 128 bytes a link between GPUs carries in a clock cycle, measured with the largest
 * number of blocks. */
static void add_link_width(const struct parts *p)
{
    double ns = part_ns(p, "peer-lines", p->most);
    if (isnan(ns))
        add(p, "link_groups_per_unit", 1, false, "not measured on this device: links take no time there");
    else
        add(p, "link_groups_per_unit", round(1000 / (ns * p->cycles_per_ns)) / 1000, false,
            "micro-components: peer-lines with most blocks; lines of 128 bytes a cycle");
}

/* Returns how many lines of 128 bytes global memory transfers in a clock cycle. */
static double lines_a_cycle(const struct parts *p)
{
    double bytes_a_second =
        2 * number_of(p->r->device, "memory_clock_hz") * number_of(p->r->device, "memory_bus_bits") / 8;
    return round(1000 * bytes_a_second / 128 / (1e9 * p->cycles_per_ns)) / 1000;
}

#define LINES_OF_BLOCK 128              /* lines of 128 bytes that the 32 warps of a block load at once */
#define L2_LINES_A_MULTIPROCESSOR .2613 /* an H200's l2_groups_per_unit, divided by its multiprocessors */

/* Adds the size of L2, and how many lines of 128 bytes L2 and one multiprocessor's way to it carry in a clock
 * cycle. */
static void add_l2(const struct parts *p)
{
    double bytes = number_of(p->r->device, "l2_bytes"), sms = p->r->sms,
           of_one = LINES_OF_BLOCK / (part_ns(p, "l2-loads-32-warps", 1) * p->cycles_per_ns),
           of_all = sms * LINES_OF_BLOCK / (part_ns(p, "l2-loads-32-warps", sms) * p->cycles_per_ns);
    bool measured = !isnan(of_one) && !isnan(of_all), later = is_later;
    add(p, "l2_groups_per_unit", round(1000 * (measured ? of_all : sms * L2_LINES_A_MULTIPROCESSOR)) / 1000,
        false,
        measured ? made("micro-components: l2-loads-32-warps with %g blocks; lines of 128 bytes a cycle", sms)
                 : "assumed: not measured on this device; as an H200's for each multiprocessor, in cycles");
    is_later = later;
    add(p, "sm_groups_per_unit", measured ? round(1000 * of_one) / 1000 : .95, false,
        measured ? "micro-components: l2-loads-32-warps with 1 block; lines of 128 bytes a cycle"
                 : "assumed: not measured on this device; as an H200's, in cycles");
    add(p, "l2_bytes", isnan(bytes) ? 0 : bytes, false, "CUDA runtime");
}

static void add_constants(const struct parts *p)
{
    double capability = number_of(p->r->device, "compute_capability");
    add(p, "compute_capability", round(10 * capability), false, "CUDA runtime");
    add_fact(p, "sm_count");
    add_fact(p, "warp_size");
    add_fact(p, "max_threads_per_block");
    add_fact(p, "max_threads_per_sm");
    add_fact(p, "max_blocks_per_sm");
    add_fact(p, "shared_bytes_per_sm");
    add(p, "issue_per_unit", 4, false,
        "four warp schedulers a multiprocessor: CUDA C++ Programming Guide, compute capability 7.x to 9.0");
    add_part(p, "arithmetic_latency", "arithmetic", true);
    add(p, "instruction_time", INSTRUCTION_TIME, false,
        "the cycles between two instructions in runs of at most 32 without a branch or barrier, a mean of a "
        "program, "
        "the median of ten: nvcc 13's machine code for sm_90 of micro-barrier, swat, nw, pairhmm, fft, "
        "bitonic, "
        "stencil, megakernel, swat-batch and sum, scripts/count-stalls");
    add(p, "long_instruction_time", 1.99, false, "the same in runs of more than 64");
    add_part(p, "divide_latency", "divide", true);
    add_part(p, "branch_latency", "loop", true);
    add_poll(p, "poll_latency", "poll", "l2-load", p->r->sms);
    add_poll(p, "poll_apart_latency", "poll-lane", "l2-load", p->r->sms);
    add_poll_leave(p);
    add_poll(p, "shared_poll_latency", "shared-poll", "shared-load", 1);
    add_poll(p, "shared_poll_apart_latency", "shared-poll-lane", "shared-load", 1);
    add_mbarrier_poll(p);
    add_more(p, "poll_meet_latency",
             more_ns(p, "shared-poll-meet", 1, "shared-poll-leave", 1) -
                 more_ns(p, "shared-poll-lane", 1, "shared-poll", 1),
             "what shared-poll-meet takes longer than shared-poll-leave, less what shared-poll-lane takes "
             "longer than shared-poll, with 1 block");
    add_more(p, "sleep_latency", part_ns(p, "sleep", 1), "sleep with 1 block");
    add_part(p, "clock_latency", "clock64", true);
    add(p, "loads_under_way", 32, false,
        "no limit is published: what a request waits for is found in the compiled code, and so many are kept "
        "in "
        "mind");
    add_part(p, "l1_latency", "l1-load", true);
    add_ns(p, "global_latency", latency_ns(p, "l2-load", p->r->sms),
           made("l2-load with %d blocks, without the instructions of its loop", p->r->sms));
    add_spread(p);
    add(p, "global_width", 32, false, "cache line of 128 bytes: CUDA C++ Best Practices Guide");
    add(p, "global_groups_per_unit", lines_a_cycle(p), false,
        "memory clock and bus width, CUDA runtime; lines of 128 bytes a cycle");
    add_l2(p);
    add_ns(p, "store_delay", fmax(0, part_ns(p, "hop", p->r->sms) - 1.5 * part_ns(p, "l2-load", p->r->sms)),
           made("what hop takes longer than one and a half l2-load, both with %d blocks", p->r->sms));
    add_part(p, "shared_latency", "shared-load", false);
    add(p, "shared_banks", 32, false, "CUDA C++ Programming Guide");
    add_part(p, "atomic_latency", "atomic", true);
    add_serial(p, "atomic_same_address", "atomic");
    add_far_atomics(p);
    add_atomic_units(p);
    add_part(p, "shared_atomic_latency", "shared-atomic", false);
    add_ns(p, "shared_atomic_same_address", part_ns(p, "shared-atomic-contended", 1) / 32,
           "shared-atomic-contended, 32 lanes on one word, divided by them");
    add_turns(p, "shared_atomic_lane", "shared_atomic_serial", "shared-add", "shared-atomic-lanes",
              "shared-atomic-warps");
    add_turns(p, "shared_swap_lane", "shared_swap_serial", "shared-swap", "shared-swap-lanes",
              "shared-swap-warps");
    add_loops(p);
    add_mbarriers(p);
    add(p, "lockstep", capability < 7, false, "CUDA C++ Programming Guide, Independent Thread Scheduling");
    add_part(p, "fence_block_latency", "fence-block", true);
    add_part(p, "fence_latency", "fence", true);
    add_serial(p, "fence_serial", "fence");
    add_fence_store(p);
    add_fence_load(p);
    add_part(p, "fence_release_latency", "fence-release", true);
    add_part(p, "fence_acquire_latency", "fence-acquire", true);
    add_part(p, "fence_system_latency", "fence-system", true);
    add_part(p, "fence_release_system_latency", "fence-release-system", true);
    add_part(p, "fence_acquire_system_latency", "fence-acquire-system", true);
    add_crossing(p);
    add_part(p, "link_latency", "peer-load", true);
    add_link_width(p);
    bool by_warps = !isnan(part_ns(p, "syncthreads-1-warp", 1));
    add_part(p, "syncthreads_latency", by_warps ? "syncthreads-1-warp" : "syncthreads", false);
    add_part(p, "syncthreads_latency_of_32", by_warps ? "syncthreads-32-warps" : "syncthreads", false);
    add_more(p, "syncthreads_count_latency", more_ns(p, "syncthreads-count", 1, "syncthreads-1-warp", 1),
             "what syncthreads-count takes longer than syncthreads-1-warp, with 1 block");
    add_part(p, "syncwarp_latency", "syncwarp", false);
    add_part(p, "shuffle_latency", "shuffle", false);
    add_meetings(p);
    add_cluster_memory(p);
    add_launch(p, "launch_asynchronous", "launch", p->r->sms);
    add_launch_behind(p);
    add_launch(p, "launch_synchronous", "launch-synchronous", p->r->sms);
    add_launch(p, "memset_asynchronous", "memset", p->r->sms);
    add_launch(p, "launch_graph", "launch-graph", 1);
    add_launch(p, "launch_graph_pdl", "launch-graph-pdl", 1);
    add_launch_graph_block(p);
}

/* Opens FOLDER/added/micro-components.json for a path FOLDER/FILE or, if that is absent and FOLDER is the
 * folder predicted/ of a GPU, the GPU's micro-components.json. Returns NULL if both are absent. */
static struct result *added_to(const char *path)
{
    const char *file = strrchr(path, '/'), *predicted = "predicted/";
    int length = file ? (int)(file + 1 - path) : 0, above = length - (int)strlen(predicted);
    struct result *added = result_open(made("%.*sadded", length, path), "micro-components");
    if (!added && above >= 0 && strncmp(path + above, predicted, strlen(predicted)) == 0)
        added = result_open(made("%.*s..", length, path), "micro-components");
    return added;
}

cJSON *preset_of(const char *name, const char *path)
{
    struct result *r = result_read(path);
    char describes[512];
    if (!r || strcmp(r->experiment, "micro-components") != 0 || r->machine)
        fail(EXIT_BAD_INPUT, "%s is not a result of micro-components on a GPU", path);
    struct result *added = added_to(path);
    struct parts p = {.r = r, .added = added, .most = 1};
    FOR_EACH_POINT(point, r) p.most = fmax(p.most, number_of(point, "blocks"));
    p.cycles_per_ns = 1 / part_ns(&p, "clock-cycle", 1);
    cJSON *json = cJSON_CreateObject();
    snprintf(describes, sizeof describes, "%s, measured by revision %s on %s", r->device_name,
             text_of(r->json, "revision"), text_of(r->json, "created"));
    cJSON_AddStringToObject(json, "schema", "gpusync-machine/1");
    cJSON_AddStringToObject(json, "name", name);
    cJSON_AddStringToObject(json, "describes", describes);
    cJSON_AddNumberToObject(json, "clock_hz", round(1e9 * p.cycles_per_ns));
    p.constants = cJSON_AddObjectToObject(json, "constants");
    add_constants(&p);
    return json;
}

/* Prints the description with each member on a line, and each constant on a line of its own, so that diff can
 * compare descriptions. */
static void print_lines(const cJSON *json, const char *indent, FILE *file)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, json)
    {
        bool is_constants = strcmp(member->string, "constants") == 0;
        char *text = is_constants ? NULL : cJSON_PrintUnformatted(member);
        fprintf(file, "%s\"%s\": %s", indent, member->string, is_constants ? "{\n" : text);
        free(text);
        if (is_constants) {
            print_lines(member, "    ", file);
            fprintf(file, "%s}", indent);
        }
        fputs(member->next ? ",\n" : "\n", file);
    }
}

int print_preset(struct arguments *a, FILE *file)
{
    cJSON *json = preset_of(a->words[0], a->words[1]);
    fputs("{\n", file);
    print_lines(json, "  ", file);
    fputs("}\n", file);
    cJSON_Delete(json);
    return EXIT_VERIFIED;
}
