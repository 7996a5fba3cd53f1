/* The list of papers' numbers that are drawn into figures. */
#include "report/paper_points.h"

const struct paper_point paper_points[] = {
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "30", AT, "xiao-feng-2010",
     "micro-barrier.cpu_implicit_ms.value", "cpu-implicit"},
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "30", AT, "xiao-feng-2010",
     "micro-barrier.computation_ms.value", "computation"},
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "0.75", LINE, "xiao-feng-2010",
     "micro-barrier.lock_based_crosses_cpu_implicit_at_blocks.value", "lock-based is slower from here"},
    {"gtx570", "li-table3", "nw", "nw.sizes", LIST, "li-2015", "nw.data-parallel", "data-parallel"},
    {"gtx570", "li-table3", "nw", "nw.sizes", LIST, "li-2015", "nw.tiny-lock", "tiny-lock"},
    {"titanx", "wang-figure10-full", "swat-batch", "3200", AT, "wang-2017",
     "figure_9_and_10.SW2.average_gcups_of_3200", "shuffle, with copies"},
    {"gtx280", "figure10-paper", "fft", "30", AT, "xiao-feng-2010", "fft.cpu_implicit_ms_30_blocks.value",
     "cpu-implicit"},
    {"gtx280", "figure10-paper", "fft", "30", AT, "xiao-feng-2010", "fft.lock_free_ms_30_blocks.value",
     "lock-free"},
#define OF_EACH(program)                                                                                     \
    {"gtx280",                                                                                               \
     "figure12-paper",                                                                                       \
     program,                                                                                                \
     "cpu-implicit",                                                                                         \
     AT_REST_OF_100,                                                                                         \
     "xiao-feng-2010",                                                                                       \
     program ".communication_percent.value",                                                                 \
     ""},                                                                                                    \
        {"gtx280",                                                                                           \
         "figure12-paper",                                                                                   \
         program,                                                                                            \
         "lock-free",                                                                                        \
         AT_REST_OF_100,                                                                                     \
         "xiao-feng-2010",                                                                                   \
         program ".lock_free_communication_percent.value",                                                   \
         ""},                                                                                                \
    {                                                                                                        \
        "gtx280", "figure13-paper", program, "", LINE, "xiao-feng-2010",                                     \
            program ".lock_free_fence_slower_than_cpu_implicit_above_blocks.value",                          \
            "lock-free is slower from here"                                                                  \
    }
    OF_EACH("fft"),
    OF_EACH("swat"),
    OF_EACH("bitonic"),
    {"k1200", "wang-figure3", "micro-latency", "shuffle", AT, "wang-2017", "micro-latency.shuffle", ""},
    {"k1200", "wang-figure3", "micro-latency", "shared", AT, "wang-2017", "micro-latency.shared", ""},
    {"k1200", "wang-figure3", "micro-latency", "syncthreads-1", AT, "wang-2017", "micro-latency.syncthreads",
     ""},
    {"", "nakano-figure2", "study", "", LINE, "nakano-2013", "figure_2.time_units.value", "all complete"},
};
const size_t paper_points_count = sizeof paper_points / sizeof *paper_points;
