/* The tables that cannot be made of rows of formulas alone: models that are computed step by step, counts
 * over points, and searches for the best. Their order is that of a device's page. */
#include "report/tables.h"
#include "report/papers/best.h"
#include "report/papers/blind.h"
#include "report/papers/blind_kinds.h"
#include "report/papers/bugs.h"
#include "report/papers/sanitizer.h"
#include "report/papers/cost.h"
#include "report/papers/endings.h"
#include "report/papers/instructions.h"
#include "report/papers/litmus.h"
#include "report/papers/micro_barrier.h"
#include "report/papers/residency.h"
#include "report/papers/shuffle.h"
#include "report/papers/study.h"
#include "report/papers/weak_memory.h"

/* Returns false. The tables bugs, findings, blind and endings have this function as their member `has`,
 * because no device's page shows them. */
static bool is_on_no_page(const char *folder)
{
    (void)folder;
    return false;
}

const struct tables paper_tables[] = {
    {"micro", "cost", "What a barrier costs", "micro-barrier", NULL, print_micro, NULL},
    {"cost", "cost", "What a barrier or a hop costs with a block on every multiprocessor", NULL,
     has_cost_of_all, print_cost_of_all, NULL},
    {"best", "algorithms", "Few barriers beside the libraries", "fft@few|bitonic@few|sum@one-pass-graph",
     NULL, print_best, NULL},
    {"residency", "cost", "While others hold multiprocessors", "micro-residency", NULL, print_residency,
     NULL},
    {"shuffle", "shuffles", "Shuffles and shared memory", NULL, has_shuffle_model, print_shuffle, NULL},
    {"litmus", "memory", "Outcomes of litmus tests", "micro-litmus", NULL, print_litmus, NULL},
    {"weak-memory-seeds", "memory", "Weak memory: every barrier, lock and channel, many seeds",
     "weak-memory/seeds", NULL, print_weak_seeds, NULL},
    {"weak-memory-cost", "memory", "Weak memory: what it costs", "weak-memory/cost", NULL, print_weak_cost,
     NULL},
    {"bounds", "sums", "The bounds of Nakano 2013, Table 1", "study", NULL, print_bounds, NULL},
    {"instructions", "machine", "Instructions, counted on the GPU and on the machine",
     "counts/machine-instructions", NULL, print_instructions, NULL},
    {"sanitizer", "", "compute-sanitizer on the programs that gpusync-check is tested with", NULL,
     is_on_no_page, print_sanitizer, NULL},
    {"bugs", "", "Patterns of public bugs", NULL, is_on_no_page, print_bugs, NULL},
    {"findings", "", "Bugs of public code with an execution that shows each", NULL, is_on_no_page,
     print_findings, NULL},
    {"blind", "", "Blind predictions", NULL, is_on_no_page, print_blind, NULL},
    {"blind-kinds", "", "Blind predictions by kind of program", NULL, is_on_no_page, print_blind_kinds, NULL},
    {"blind-intervals", "", "Intervals of predictions", NULL, is_on_no_page, print_blind_intervals, NULL},
    {"blind-pairs", "", "Which of two programs is faster, predicted blindly", NULL, is_on_no_page,
     print_blind_pairs, NULL},
    {"blind-errors", "", "Errors of blind predictions", NULL, is_on_no_page, print_blind_errors, NULL},
    {"endings", "", "Which programs ended on which device", NULL, is_on_no_page, print_endings, NULL},
};
const size_t paper_tables_count = sizeof paper_tables / sizeof *paper_tables;
