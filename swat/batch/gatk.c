#include "swat/batch/gatk.h"
#include "align/alignment.h"
#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_GAP_YET (INT_MIN / 2)

/* ---- the matrix ---- */

struct matrix {
    int rows, columns;
    /* scores and directions of the cells, each (rows + 1) x (columns + 1); `back` is 0 for a match, k for a
     * gap of k letters down the column, -k for one along the row */
    int *score, *back;
};

static size_t at(const struct matrix *m, int i, int j)
{
    return (size_t)i * (size_t)(m->columns + 1) + (size_t)j;
}

static int edge_score(const struct sw_task *task, int k)
{
    bool free_edge = task->strategy == OVERHANG_SOFTCLIP || task->strategy == OVERHANG_IGNORE;
    return free_edge || !k ? 0 : task->scores.open + (k - 1) * task->scores.extend;
}

/* The best gap that ends at a cell. It is the best gap of the cell before, longer by one letter, unless a new
 * gap is strictly better. */
struct gap {
    int score, length;
};

static void extend_gap(struct gap *gap, int from, const struct sw_scores *scores)
{
    gap->score += scores->extend;
    gap->length++;
    if (from + scores->open > gap->score)
        *gap = (struct gap){from + scores->open, 1};
}

static void fill_row(const struct sw_tasks *tasks, const struct sw_task *task, struct matrix *m, int i,
                     struct gap *down)
{
    const unsigned char *reference = tasks->letters + task->reference_at,
                        *alternate = tasks->letters + task->alternate_at;
    struct gap right = {NO_GAP_YET, 0};
    for (int j = 1; j <= m->columns; j++) {
        bool equal = reference[i - 1] == alternate[j - 1];
        int diagonal = m->score[at(m, i - 1, j - 1)] + (equal ? task->scores.match : task->scores.mismatch);
        extend_gap(&right, m->score[at(m, i, j - 1)], &task->scores);
        extend_gap(&down[j], m->score[at(m, i - 1, j)], &task->scores);
        int *score = &m->score[at(m, i, j)], *back = &m->back[at(m, i, j)];
        if (diagonal >= right.score && diagonal >= down[j].score) {
            *score = diagonal;
            *back = 0;
        } else if (right.score >= down[j].score) {
            *score = right.score;
            *back = -right.length;
        } else {
            *score = down[j].score;
            *back = down[j].length;
        }
    }
}

static struct matrix fill(const struct sw_tasks *tasks, const struct sw_task *task)
{
    struct matrix m = {task->reference_length, task->alternate_length, NULL, NULL};
    size_t cells = at(&m, m.rows, m.columns) + 1;
    m.score = allocate(cells * sizeof(int));
    m.back = allocate(cells * sizeof(int));
    struct gap *down = allocate((size_t)(m.columns + 1) * sizeof *down);
    for (int j = 0; j <= m.columns; j++) {
        m.score[at(&m, 0, j)] = edge_score(task, j);
        down[j] = (struct gap){NO_GAP_YET, 0};
    }
    for (int i = 1; i <= m.rows; i++) {
        m.score[at(&m, i, 0)] = edge_score(task, i);
        fill_row(tasks, task, &m, i, down);
    }
    free(down);
    return m;
}

/* ---- the trace-back through the matrix ---- */

/* Finds the cell where the trace-back starts. This is the best cell of the last column; among equal ones, the
 * one with the largest row number. A cell of the last row takes its place if it has a better score, or the
 * same score and lies nearer to the diagonal. */
static void find_start(const struct matrix *m, enum overhang strategy, struct sw_trace *trace)
{
    trace->i = m->rows;
    trace->j = m->columns;
    trace->score = m->score[at(m, m->rows, m->columns)];
    if (strategy == OVERHANG_INDEL)
        return;
    trace->score = INT_MIN;
    for (int i = 1; i <= m->rows; i++)
        if (m->score[at(m, i, m->columns)] >= trace->score) {
            trace->i = i;
            trace->score = m->score[at(m, i, m->columns)];
        }
    for (int j = 1; j <= m->columns && strategy != OVERHANG_LEADING_INDEL; j++) {
        int score = m->score[at(m, m->rows, j)];
        if (score > trace->score || (score == trace->score && abs(m->rows - j) < abs(trace->i - trace->j))) {
            trace->i = m->rows;
            trace->j = j;
            trace->score = score;
        }
    }
}

static void add_element(struct sw_trace *trace, enum sw_operation operation, int length)
{
    struct sw_element *last = trace->elements + trace->element_count - 1;
    if (trace->element_count && last->operation == operation)
        last->length += length;
    else
        trace->elements[trace->element_count++] = (struct sw_element){operation, length};
}

static void trace_back(const struct matrix *m, struct sw_trace *trace)
{
    int i = trace->i, j = trace->j;
    trace->elements = allocate((size_t)(i + j) * sizeof *trace->elements);
    do {
        int back = m->back[at(m, i, j)];
        add_element(trace,
                    back == 0  ? SW_MATCH
                    : back > 0 ? SW_DELETION
                               : SW_INSERTION,
                    back ? abs(back) : 1);
        i -= back >= 0 ? (back ? back : 1) : 0;
        j -= back <= 0 ? (back ? -back : 1) : 0;
    } while (i > 0 && j > 0);
    trace->end_i = i;
    trace->end_j = j;
}

struct sw_trace sw_sequential(const struct sw_tasks *tasks, const struct sw_task *task)
{
    struct matrix m = fill(tasks, task);
    struct sw_trace trace = {0};
    find_start(&m, task->strategy, &trace);
    trace_back(&m, &trace);
    free(m.score);
    free(m.back);
    return trace;
}

/* ---- the alignment ---- */

/* Returns the last position at which the reference contains the whole alternate sequence, or -1 if it does
 * not. */
static int last_occurrence(const struct sw_tasks *tasks, const struct sw_task *task)
{
    const unsigned char *reference = tasks->letters + task->reference_at,
                        *alternate = tasks->letters + task->alternate_at;
    for (int k = task->reference_length - task->alternate_length; k >= 0; k--)
        if (memcmp(reference + k, alternate, (size_t)task->alternate_length) == 0)
            return k;
    return -1;
}

char *sw_cigar(const struct sw_tasks *tasks, const struct sw_task *task, const struct sw_trace *trace,
               int *offset)
{
    static const char letters[] = {[SW_MATCH] = 'M', [SW_INSERTION] = 'I', [SW_DELETION] = 'D'};
    struct cigar c = {NULL, 0};
    bool clips = task->strategy == OVERHANG_SOFTCLIP, ignores = task->strategy == OVERHANG_IGNORE;
    int exact = clips || ignores ? last_occurrence(tasks, task) : -1;
    if (exact >= 0) {
        *offset = exact;
        cigar_prepend(&c, 'M', (size_t)task->alternate_length);
    } else {
        char first = 'M';
        cigar_prepend(&c, clips ? 'S' : 'M', (size_t)(task->alternate_length - trace->j));
        for (size_t k = 0; k < trace->element_count; k++)
            cigar_prepend(&c, first = letters[trace->elements[k].operation],
                          (size_t)trace->elements[k].length);
        if (clips || ignores)
            cigar_prepend(&c, clips ? 'S' : first, (size_t)trace->end_j);
        else
            cigar_prepend(&c, trace->end_i ? 'D' : 'I', (size_t)(trace->end_i ? trace->end_i : trace->end_j));
        *offset = clips ? trace->end_i : ignores ? trace->end_i - trace->end_j : 0;
    }
    return cigar_finish(&c);
}
