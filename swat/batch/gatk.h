/*
 * Smith-Waterman as in GATK's HaplotypeCaller, sequentially (Wang, Xie and Cong 2017, Equation 5, without its
 * zero: GATK does not clamp): scores, the cell where the trace-back starts, and the alignment with its
 * overhangs. Rows are the reference, columns the alternate sequence; a gap of k letters costs open + (k - 1)
 * extend.
 */
#ifndef SWAT_GATK_H
#define SWAT_GATK_H

#include "harness/batches.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How letters beyond the ends of the alignment are treated; swat/batch/gatk.c has GATK's rules. */
enum overhang { OVERHANG_SOFTCLIP, OVERHANG_INDEL, OVERHANG_LEADING_INDEL, OVERHANG_IGNORE };

/* The scores of an alignment: `match` or `mismatch` is added for each pair of letters, `open` for the first
 * letter of a gap, and `extend` for every further letter of it. */
struct sw_scores {
    int match, mismatch, open, extend;
};

struct sw_task {
    unsigned reference_at, alternate_at; /* indices in sw_tasks.letters at which the two sequences begin */
    int reference_length, alternate_length;
    struct sw_scores scores;
    enum overhang strategy;
};

/* The ranges of a batch: first letter and number of letters, first task and number of tasks. */
struct sw_batch {
    size_t letter_at, letters, first, tasks;
};

struct sw_tasks {
    unsigned char *letters;
    struct sw_task *tasks;
    struct sw_batch *batches;
    size_t letter_count, task_count, batch_count;
};

/* sw_read_scores() returns the scores with a name ("NEW_SW", "ALIGNMENT_TO_BEST_HAPLOTYPE", "STANDARD_NGS",
 * "ORIGINAL_DEFAULT"), or those given as four numbers with commas; sw_read_strategy() returns the treatment
 * with a name. Both exit with EXIT_BAD_INPUT for any other text. */
struct sw_scores sw_read_scores(const char *text);
enum overhang sw_read_strategy(const char *text);

/*
 * Reads a task from each line, which has columns separated by tabs: either reference and alternate only (then
 * the given scores and strategy apply), or also match, mismatch, open, extend and strategy, followed by
 * anything; # begins a comment. All tasks are one batch. Exits with EXIT_BAD_INPUT, naming file and line, for
 * anything else, and for sequences whose scores could reach GATK's floor of -1e8.
 */
void sw_read_tasks(const char *path, struct sw_scores scores, enum overhang strategy, struct sw_tasks *out);

/* Generates batches of tasks: a single batch has exactly `size` tasks, several have 1 to 2 size - 1 each.
 * The alternate is the reference with one letter in 200 changed and a few gaps, cut or filled up to its
 * length. */
void sw_generate_tasks(size_t size, size_t batches, struct length_range references,
                       struct length_range alternates, struct sw_scores scores, enum overhang strategy,
                       unsigned long long seed, struct sw_tasks *out);

void sw_free_tasks(struct sw_tasks *tasks);

/* The operation of an alignment's element: SW_MATCH is for letters of both sequences, SW_INSERTION for
 * letters of the alternate alone, SW_DELETION for letters of the reference alone. */
enum sw_operation { SW_MATCH, SW_INSERTION, SW_DELETION };
struct sw_element {
    enum sw_operation operation;
    int length;
};

/* An alignment as the trace-back finds it: from cell (i, j), where the trace-back starts, to (end_i, end_j),
 * where it leaves the matrix. */
struct sw_trace {
    int score, i, j, end_i, end_j;
    size_t element_count;
    struct sw_element *elements; /* the elements, from the alignment's end to its start */
};

/* Fills the task's matrix and traces back, with one thread. The caller frees the elements of the trace. */
struct sw_trace sw_sequential(const struct sw_tasks *tasks, const struct sw_task *task);

/* Returns the CIGAR of the alignment that follows from a trace, and sets *offset to the alignment's offset in
 * the reference. The caller frees the CIGAR. */
char *sw_cigar(const struct sw_tasks *tasks, const struct sw_task *task, const struct sw_trace *trace,
               int *offset);

#ifdef __cplusplus
}
#endif

#endif
