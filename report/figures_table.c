/* Every figure: a row. */
#include "report/figures.h"

#define XF "Xiao and Feng 2010, "
#define FX "Feng and Xiao 2010, "
#define MULTI_GPU_WAYS                                                                                       \
    "one-gpu graph? nccl-graph? leaders leaders-between inboxes? counter-each? one-counter?"
#define METHODS_10 "cpu-implicit lock-based lock-free counter? dataflow? dataflow-blocked?"
#define CHANNELS                                                                                             \
    "atom-lock? warp-barrier? shared-lock? tiny-lock? warp-vote? syncthreads? packed-word? mbarrier?"
#define WORD_HOPS                                                                                            \
    "fence-add-sys? acquire-each-sys? each-warp-polls? acquire-each? sleep-8-256? atomic-polls? "            \
    "add-release? sleep-20? sleep-100? red-release? store-release? fence-add? warp-polls? "                  \
    "each-thread-polls? "                                                                                    \
    "no-acquire? volatile? no-release? no-fences?"
#define OTHER_HOPS                                                                                           \
    "tma-both? tma-both-no-fences? tma-store? tma-store-no-release? tma-store-read? fence-add? "             \
    "cluster-global? packed-words? sentinel? vector-16? packed-16? cluster-barrier? cluster-mbarrier? "      \
    "cluster-st-async? graph? graph-pdl-wait? graph-pdl-bare? graph-pdl? graph-pdl-trigger?"
#define SUMS                                                                                                 \
    "sum-simple sum-tree sum-simple-tree sum-hybrid prefix-simple prefix-tree prefix-simple-tree "           \
    "prefix-hybrid"

const struct figure figures[] = {
    {"micro-barrier-cost", "bars", "micro-barrier", COST_OF_BARRIERS, MICROSECONDS, "", NULL, "", "0",
     "Cost of one barrier, one block on every multiprocessor; pale: unordered", "ours", "cost",
     "One bar a method: lower is better."},
    {"micro-barrier-figure8", "lines", "micro-barrier", AGAINST_BLOCKS, MS_OF_10000,
     "cpu-explicit cpu-implicit lock-based lock-free none", NULL, "thread blocks", "0",
     "Micro-benchmark, 10,000 rounds", XF "Figure 8", "cost",
     "Total time of 10,000 rounds. Where a curve of a grid barrier lies below cpu-implicit, it pays to stay "
     "in the kernel."},
    {"micro-barrier-figure3", "lines", "micro-barrier", AGAINST_BLOCKS, MS_OF_10000,
     "none atomic-part syncthreads-part lock-based lock-based-fence lock-based-fence-each?",
     "t1: computation|t2: atomicAdd|t3: + __syncthreads|t4: lock-based|t5: + __threadfence, leader|t5: + "
     "__threadfence, each thread",
     "thread blocks", "0", "Profile of lock-based synchronization, 10,000 rounds", FX "Figure 3", "cost",
     "The steps from t1 to t5 are what an atomic addition, __syncthreads, checking and the fence add."},
    {"micro-barrier-all", "lines", "micro-barrier", AGAINST_ALL_BLOCKS, MICROSECONDS, "*", NULL,
     "thread blocks", "xy", "Time of a round, computation included; dashed: unordered", "ours", "cost",
     "Every method, beyond one block on a multiprocessor too. A flat curve does not mind more blocks."},
    {"micro-split", "lines", "micro-split", AGAINST_WORK, MICROSECONDS,
     "none counter? counter-split? courier-split? grid-sync? grid-sync-split?", NULL,
     "microseconds of independent work", "0",
     "Work between the halves of a barrier: time of a round, split and joined", "ours", "cost",
     "Where the split form stays flat while the work grows, the barrier hides behind the work."},
    {"micro-stencil", "lines", "micro-stencil", AGAINST_SIZE, MILLISECONDS,
     "cpu-graph-pdl? none grid-sync? counter? counter-split? courier-split? neighbours? neighbours-split?",
     NULL, "cells in a side of the plate", "xy2",
     "A Jacobi iteration, all steps: work between the halves of a barrier, and barriers among neighbours",
     "ours", "cost",
     "Split: the rows that neighbours read first, the others while the barrier is under way."},
    {"micro-multi-gpu", "lines", "micro-multi-gpu", AGAINST_GPUS, MICROSECONDS,
     "host? events? graph? nccl? nccl-graph? nccl-lsa? leaders leaders-courier inboxes counter-each "
     "one-counter "
     "leaders-no-acquire leaders-no-release leaders-gpu-scope",
     NULL, "GPUs", "y0", "A barrier across all blocks of several GPUs: time of a round; dashed: unordered",
     "ours", "gpus", "All blocks of all GPUs meet: lower is better."},
    {"multi-gpu-sort", "lines", "bitonic-multi-gpu", AGAINST_SIZE, MILLISECONDS, MULTI_GPU_WAYS, NULL, "keys",
     "xy2", "Bitonic sort of keys in the memories of several GPUs, a barrier across them between two steps",
     "ours", "gpus", "Where a curve falls below one GPU's, several GPUs pay."},
    {"multi-gpu-sum", "lines", "sum-multi-gpu", AGAINST_SIZE, MICROSECONDS, MULTI_GPU_WAYS, NULL, "numbers",
     "xy2", "The sum of numbers in the memories of several GPUs", "ours", "gpus",
     "Where a curve falls below one GPU's, several GPUs pay."},
    {"multi-gpu-late", "lines", "micro-multi-gpu@late", OPERATION_BY_SIZE, MICROSECONDS,
     "graph? nccl? leaders? leaders-courier? inboxes? counter-each? one-counter?", NULL,
     "nanoseconds by which the last GPU is late", "xy",
     "A barrier across all GPUs, one of which comes late: time of a round", "ours", "gpus",
     "Where the curves meet the lateness itself, it hides the barrier."},
    {"figure10", "lines", "*steps", AGAINST_BLOCKS, MILLISECONDS, METHODS_10, NULL, "thread blocks", "0",
     "Kernel time of %s", XF "Figure 10", "algorithms",
     "Lower is better; what is unordered is wrong on a GPU whose caches keep old values."},
    {"figure11", "lines", "*steps", AGAINST_BLOCKS, MS_OF_SYNC, "cpu-implicit lock-based lock-free counter?",
     NULL, "thread blocks", "0", "Synchronization time of %s", XF "Figure 11", "algorithms",
     "The time above the same loop without barriers, at as many blocks."},
    {"figure12", "shares", "*steps", SHARES, RATIO, "", NULL, "", "0",
     "Where the time of %s goes, each variant at its best (blocks)", XF "Figure 12", "algorithms",
     "Blue is what faster barriers can never give back; orange is loads that a barrier makes miss."},
    {"figure13", "lines", "*steps", AGAINST_BLOCKS, MILLISECONDS,
     "cpu-implicit lock-based-fence lock-based-fence-each? lock-free-fence lock-free-fence-each?", NULL,
     "thread blocks", "0", "Kernel time of %s with __threadfence()", XF "Figure 13", "algorithms",
     "The paper found fences dear: where a grid barrier crosses cpu-implicit, launches win again."},
    {"figure10-paper", "lines", "*steps@paper", AGAINST_BLOCKS, MILLISECONDS,
     "cpu-implicit lock-based lock-free", NULL, "thread blocks", "0",
     "Kernel time of %s, about as large as in the paper", XF "Figure 10", "algorithms",
     "Kernel time against blocks, with as much work in a step as the paper's problem has."},
    {"figure12-paper", "shares", "*steps@paper", SHARES, RATIO, "", NULL, "", "0",
     "Where the time of %s goes, about as large as in the paper", XF "Figure 12", "algorithms",
     "Blue is computation, as in the paper's Table I and section VII-D; the rest is what barriers cost."},
    {"figure13-paper", "lines", "*steps@paper", AGAINST_BLOCKS, MILLISECONDS,
     "cpu-implicit lock-based-fence-each? lock-free-fence-each?", NULL, "thread blocks", "0",
     "%s with __threadfence(), about as large as in the paper", XF "Figure 13", "algorithms",
     "Where a grid barrier crosses cpu-implicit, launches win: the paper's lock-free did from some number "
     "of blocks on."},
    {"swat-by-size", "lines", "swat@sizes", AGAINST_SIZE, MILLISECONDS,
     "cpu-implicit lock-based-fence lock-free-fence counter? dataflow? dataflow-blocked?", NULL,
     "letters in each sequence", "xy2", "Smith-Waterman: a barrier between two anti-diagonals, and none",
     "ours", "algorithms",
     "Strips that wait for each other need no barrier; several rows a lane, few words."},
    {"sizes", "lines", "*steps", GAIN_BY_SIZE, RATIO, "lock-based-fence cpu-graph? dataflow?",
     "fastest ordered grid barrier|fastest CUDA graph|dataflow, no barrier", "size", "x20",
     "%s: times as fast as back-to-back launches, one block on every multiprocessor", "ours", "algorithms",
     "Above 1 a method beats back-to-back launches; the gain shrinks as steps become longer than barriers."},
    {"beside-library", "lines", "*steps", BESIDE_LIBRARY, MICROSECONDS,
     "lock-based-fence lock-free-fence cpu-implicit",
     "best by the steps of Xiao and Feng 2010|few barriers, best method|the library", "values", "xy2",
     "%s: few barriers beside the library, in a stream", "ours", "algorithms",
     "Fewer barriers, each for more work in registers and shared memory: how far that carries against the "
     "library."},
    {"feng-figure1", "pair", "swat", SWAT_AND_BITONIC, MILLISECONDS, "cpu-implicit lock-based lock-free",
     NULL, "thread blocks", "0", "Without fences", FX "Figure 1", "algorithms",
     "The same curves as the paper drew them, for the two algorithms that it has."},
    {"feng-figure2", "pair", "swat", SWAT_AND_BITONIC, MILLISECONDS,
     "cpu-implicit lock-based-fence lock-free-fence", NULL, "thread blocks", "0", "With __threadfence()",
     FX "Figure 2", "algorithms", "The same with the fences that the memory model needs."},
    {"li-figure4", "bars", "micro-producer-consumer", CHAIN_OF_16, CYCLES, CHANNELS, NULL, "", "0",
     "A chain of 16 warps, each waits for the one before", "Li 2015, Figure 4", "warps",
     "How long 16 warps take one after the other: the cost of a hop is a sixteenth of it."},
    {"chain", "lines", "micro-producer-consumer", AGAINST_WARPS, CYCLES, CHANNELS, NULL, "warps", "0",
     "A chain of warps, each waits for the one before", "after Li 2015, Figure 4", "warps",
     "A straight line costs the same for each further warp; a bent one has warps that disturb each other."},
    {"nw", "lines", "nw", AGAINST_SIZE, MILLISECONDS,
     "mbarrier? atom-lock? tiny-lock? packed-word? data-parallel shuffle? shuffle+cpu-graph? "
     "shuffle+counter? "
     "dataflow? dataflow-blocked?",
     NULL, "letters in each sequence", "xy", "Needleman-Wunsch, all launches or one kernel",
     "after Li 2015, Table 3", "warps",
     "Whether cells, tiles or launches wait for each other decides more than how they do it."},
    {"hop-words", "bars", "micro-dependency", OPERATIONS, MICROSECONDS, WORD_HOPS, NULL, "", "0",
     "A hop from block to block, said by a word; pale: unordered", "ours", "tiles",
     "How a block says that its data are there, and how another waits: lower is better."},
    {"hop-others", "bars", "micro-dependency", OPERATIONS, MICROSECONDS, OTHER_HOPS, NULL, "", "0",
     "A hop by bulk copies, by the data themselves, in a cluster, by launches; pale: unordered", "ours",
     "tiles", "Beside fence-add, the word of the figure before."},
    {"hop-pairs", "lines", "micro-hop-pairs", SPREAD_OF_HOPS, MICROSECONDS, "fence-add packed-16 sentinel",
     "a counter and fences|flags in the data, 16 bytes|words that say so themselves",
     "percent of pairs of multiprocessors and lines of memory", "0",
     "A hop of 128 bytes: where the two blocks and the word lie", "ours", "tiles",
     "So many percent of all pairs and lines take at most so long: a flat curve does not mind where they "
     "lie."},
    {"hop-partners", "lines", "micro-dependency@fan", OPERATION_BY_PARTNERS, MICROSECONDS,
     "store-release? in-apart? in-neighbours? out-apart? out-neighbours? acquire-each? fence-add? token? "
     "packed-words? sentinel?",
     "a flag each, st.release|answers on lines apart|answers on neighbouring words|a flag each on lines "
     "apart|a flag each, neighbouring|fence-add, ld.acquire|fence-add: one word out, one in|the hop out "
     "alone|packed words|sentinel",
     "partners of one block", "x20", "A hop out to all partners, or in from all: half of a round", "ours",
     "tiles", "A flat curve does not mind more partners: fan-out and fan-in."},
    {"hop-bytes", "lines", "micro-dependency@bytes", OPERATION_BY_SIZE, MICROSECONDS,
     "fence-add? tma-store? tma-both? packed-words? packed-16? sentinel? cluster-barrier? cluster-st-async? "
     "graph-pdl?",
     NULL, "bytes", "xy2", "A hop with more data, written and read by 256 threads", "ours", "tiles",
     "Where the curves rise, bytes cost more than the hop."},
    {"layers", "lines", "micro-megakernel", OPERATION_BY_SIZE, MICROSECONDS,
     "cpu-implicit? cpu-graph? cpu-graph-pdl? lock-based-fence? grid-sync? counter? tile-counters? "
     "tile-words?",
     NULL, "numbers of a layer", "xy2", "A chain of matrix-vector products in tiles: time of a layer", "ours",
     "tiles", "Lower is better: small layers are decided by how tiles wait, large ones by memory."},
    {"litmus", "litmus", "micro-litmus", OUTCOMES, RATIO, "", NULL, "", "",
     "Litmus tests: how often the outcome came that the test asks for", "ours", "memory",
     "A row a test, a column how its accesses are meant. Left half of a cell: this device; right: the "
     "memory machine. Crosses: PTX forbids it."},
    {"wang-figure3", "bars", "micro-latency", LATENCIES, CYCLES, "", NULL, "", "0",
     "Latency in cycles, where a register takes one", "Wang 2017, Figure 3", "shuffles",
     "What a dependent instruction waits for, in cycles of the multiprocessor."},
    {"wang-figure9", "rates", "*batches@regions", RATES_OF_BATCHES, CELLS, "", NULL, "", "0",
     "%s, batches of a region each", "Wang 2017, Figure 9", "shuffles",
     "Higher is better: billions of cells a second, average over small batches, and the best batch."},
    {"wang-figure10", "lines", "*batches", AGAINST_SIZE, CELLS,
     "shared shared+copies? shuffle? shuffle+copies? blocked? blocked+copies?", NULL, "tasks in a batch",
     "x0", "%s by the size of the batch", "Wang 2017, Figure 10", "shuffles",
     "Small batches leave the GPU idle; with copies, the bus decides."},
    {"sum", "lines", "sum", AGAINST_SIZE, MICROSECONDS,
     "sum-simple+counter? sum-tree+counter? sum-simple-tree+counter? sum-hybrid+counter? sum-dataflow? "
     "sum-cub? "
     "prefix-simple+counter? prefix-tree+counter? prefix-simple-tree+counter? prefix-hybrid+counter? "
     "prefix-dataflow? prefix-cub?",
     NULL, "numbers", "xy2", "Sums (filled) and prefix sums over the whole grid", "after Nakano 2013", "sums",
     "Lower is better: few numbers are decided by barriers, many by passes over memory."},
    {"fidelity", "fidelity", "predicted", MEASURED_AND_PREDICTED, MICROSECONDS, "", NULL,
     "microseconds measured", "xy", "Time that the memory machine predicts, against time measured", "ours",
     "machine", "On the line a prediction is exact; between the dotted ones it is within a factor of 1.5."},
    {"nakano-time-n", "schedules", "study", STUDY_N, TIME_UNITS, SUMS " bound", NULL, "n", "xy2",
     "Time units against n: UMM, w = 32, l = 100; bound: n/w + l log n", "Nakano 2013, Table 1", "sums",
     "The paper bounds each curve by a constant times the lowest one, Tree's by log w times that. Lines: "
     "warps in turn; crosses: asynchronous schedules."},
    {"nakano-barriers-n", "schedules", "study", STUDY_BARRIERS, TIME_UNITS, SUMS, NULL, "n", "x20",
     "Barriers against n: UMM, w = 32, l = 100", "Nakano 2013, Table 1", "sums",
     "Hybrid needs as many barriers for any n; asynchronous schedules (crosses) change none."},
    {"nakano-time-l", "schedules", "study", STUDY_LATENCY, TIME_UNITS, SUMS, NULL, "latency", "xy",
     "Time units against the latency: UMM, w = 32, n = 16384", "Nakano 2013, Table 1", "sums",
     "With more latency the barriers that Hybrid saves count more. Lines: warps in turn; crosses: "
     "asynchronous schedules."},
    {"nakano-figure2", "pipeline", "study", STUDY_FIGURE_2, TIME_UNITS, "", NULL, "time units", "",
     "Requests of two warps for given words: w = 4, l = 5", "Nakano 2013, Figure 2", "sums",
     "Each bar is a request: dispatched, in the pipeline, complete."},
    {"nakano-figure3", "pipeline", "study", STUDY_FIGURE_3, TIME_UNITS, "", NULL, "time units", "",
     "Contiguous access, random order: w = 4, l = 5, p = 16, n = 64", "Nakano 2013, Figure 3", "sums",
     "Warps are dispatched in any order, and the pipeline stays full."},
};
const size_t figures_count = sizeof figures / sizeof *figures;
