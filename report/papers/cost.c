/*
 * Makes the table `cost`: the time of a barrier with a requested number of blocks, and the time of a hop. It
 * has a row for each method that was measured or, on the memory machine, predicted; a person who has not
 * asked for all gets those that order memory, and a sentence to decide by. Between two measured numbers of
 * blocks, or of threads in a block, the time is interpolated, and the row says so; beyond the largest
 * measured number a method has no row.
 */
#include "report/papers/papers.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/methods.h"
#include "report/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    /* the requested numbers of blocks and of threads in a block; -1 threads stand for any number */
    double blocks, threads;
    enum unit unit;
    bool for_programs;
    bool is_short; /* only what a person decides by: methods that order memory, the fastest first */
};

static double between(double a, double b, double share)
{
    return a + share * (b - a);
}

static struct timing interpolated(struct timing a, struct timing b, double share)
{
    return (struct timing){between(a.us, b.us, share), between(a.low, b.low, share),
                           between(a.high, b.high, share)};
}

static const char *ordered_text(const cJSON *p)
{
    if (is_true(p, "ordered"))
        return is_false(p, "verified") ? "WRONG" : "yes";
    return is_false(p, "verified") ? "no; wrong results" : "no";
}

/* Adds the time, given in microseconds, and its interval to the row, in the requested unit. For programs the
 * interval takes two cells. */
static void add_time(struct table *t, const struct result *r, struct timing time, struct request wanted)
{
    int digits = unit_digits(wanted.unit, 3);
    struct timing in_unit = timing_in(wanted.unit, r, time);
    table_cells(t, "%.*F", digits, in_unit.us);
    if (wanted.for_programs) {
        table_cells(t, "%.*F | %.*F", digits, in_unit.low, digits, in_unit.high);
        return;
    }
    if (r->machine && in_unit.low == in_unit.high) /* a prediction is one run, whose spread is no error */
        table_cells(t, "-");
    else
        table_cells(t, "[%.*F, %.*F]", digits, in_unit.low, digits, in_unit.high);
}

/* Adds the head of the table. For programs all tables become one, in which each row has `what`, the measured
 * operation. */
static void head(struct table *t, const char *what, struct request wanted)
{
    if (!wanted.for_programs)
        table_add(t, "%s | %s | interval | ordered | threads | how", what, unit_name(wanted.unit));
    else if (!t->count)
        table_add(t, "what | variant | %s | low | high | ordered | threads | how", unit_name(wanted.unit));
}

/* A measured method: a barrier or a hop. */
struct cost {
    struct timing time;
    const char *variant, *ordered;
    /* the numbers of threads and of blocks that `time` is interpolated from; equal if it is not */
    double fewest, most, first, last;
};
struct costs {
    struct cost *items;
    size_t count;
};

static void add_cost(struct costs *rows, struct cost row)
{
    rows->items = with_room(rows->items, sizeof *rows->items, rows->count, 1);
    rows->items[rows->count++] = row;
}

static bool is_sure(const struct cost *row)
{
    return strcmp(row->ordered, "yes") == 0;
}

/* The results of micro-barrier: of its main sweep, and of those with other threads (sweeps.txt). */
static const char *const sweeps[] = {"micro-barrier", "micro-barrier@cost-64", "micro-barrier@cost-128",
                                     "micro-barrier@cost-512", "micro-barrier@cost-1024"};
#define SWEEPS (sizeof sweeps / sizeof *sweeps)

static double share_of(double wanted, double first, double last)
{
    return last > first ? (wanted - first) / (last - first) : 0;
}

/* Finds the cost of a method in one result. Returns false if it is not known for the requested number of
 * blocks. */
static bool cost_in(const struct result *r, const char *variant, struct request wanted, struct cost *cost)
{
    /* the point with the largest measured number of blocks up to the requested one, and the point with the
     * smallest from it on; the same point if this number was measured */
    const cJSON *below = NULL, *above = NULL;
    FOR_EACH_POINT(p, r)
    {
        double blocks = number_of(p, "blocks");
        if (!point_is(p, variant) || (wanted.threads > 0 && number_of(p, "threads") != wanted.threads))
            continue;
        if (blocks <= wanted.blocks && (!below || blocks > number_of(below, "blocks")))
            below = p;
        if (blocks >= wanted.blocks && (!above || blocks < number_of(above, "blocks")))
            above = p;
    }
    if (!below || !above)
        return false;
    double first = number_of(below, "blocks"), last = number_of(above, "blocks"),
           threads = number_of(below, "threads");
    struct timing time =
        interpolated(barrier_time(r, below), barrier_time(r, above), share_of(wanted.blocks, first, last));
    *cost = (struct cost){time, variant, ordered_text(below), threads, threads, first, last};
    return true;
}

/* Adds the row of a method, if its time is known for the requested numbers of blocks and threads. */
static void add_barrier(struct costs *rows, struct result *const results[SWEEPS], const char *variant,
                        struct request wanted)
{
    struct cost one, fewer = {0}, more = {0};
    double threads = wanted.threads;
    if (threads < 0) {
        if (cost_in(results[0], variant, wanted, &one))
            add_cost(rows, one);
        return;
    }
    for (size_t s = 0; s < SWEEPS; s++)
        if (results[s])
            FOR_EACH_POINT(p, results[s])
            {
                wanted.threads = number_of(p, "threads");
                if (!point_is(p, variant) || !cost_in(results[s], variant, wanted, &one))
                    continue;
                if (one.fewest <= threads && (!fewer.variant || one.fewest > fewer.fewest))
                    fewer = one;
                if (one.fewest >= threads && (!more.variant || one.fewest < more.fewest))
                    more = one;
            }
    if (!fewer.variant || !more.variant)
        return;
    fewer.time = interpolated(fewer.time, more.time, share_of(threads, fewer.fewest, more.fewest));
    fewer.most = more.fewest;
    fewer.first = fmin(fewer.first, more.first);
    fewer.last = fmax(fewer.last, more.last);
    add_cost(rows, fewer);
}

static struct costs barriers_of(struct result *const results[SWEEPS], struct request wanted)
{
    struct costs rows = {NULL, 0};
    for (int i = 0; i < SYNC_METHODS; i++)
        if (!is_baseline(sync_variants[i].name))
            add_barrier(&rows, results, sync_variants[i].name, wanted);
    add_barrier(&rows, results, "counter-tuned",
                wanted); /* no method of its own: counter with the GPU's best settings */
    return rows;
}

/* Returns the rows of hops. A hop takes two blocks, so the requested number of blocks does not matter. With
 * `spread` a row's interval is the range over all pairs of multiprocessors and lines of memory; otherwise it
 * is the median's interval. */
static struct costs hops_of(const struct result *r, bool spread)
{
    struct costs rows = {NULL, 0};
    FOR_EACH_POINT(p, r)
    {
        struct timing time = operation_time(r, p);
        if (is_baseline(text_of(p, "variant")) || number_of(p, "blocks") > r->sms ||
            number_of(p, "size") != number_of(r->points->child, "size"))
            continue;
        if (spread) {
            time.low = number_of(p, "hops.low") * r->us;
            time.high = number_of(p, "hops.high") * r->us;
        }
        double threads = number_of(p, "threads");
        add_cost(&rows, (struct cost){time, text_of(p, "variant"), ordered_text(p), threads, threads, 0, 0});
    }
    return rows;
}

/* Adds the rows to the table. For people who have not asked for all, these are the methods that order
 * memory, at most `most`, the fastest first. Frees the rows. */
static void add_rows(struct table *t, const struct result *r, const char *what, struct costs rows,
                     size_t most, struct request wanted)
{
    size_t shown = 0;
    head(t, what, wanted);
    if (wanted.is_short)
        qsort(rows.items, rows.count, sizeof *rows.items, compare_numbers);
    for (const struct cost *row = rows.items; row < rows.items + rows.count; row++) {
        if (wanted.is_short && (!is_sure(row) || shown++ >= most))
            continue;
        table_row(t);
        if (wanted.for_programs)
            table_cells(t, "%s", what);
        table_cells(t, "%s", row->variant);
        add_time(t, r, row->time, wanted);
        table_cells(t, "%s | %.0F", row->ordered,
                    wanted.threads > 0 && row->most > row->fewest ? wanted.threads : row->fewest);
        char blocks[64] = "", threads[64] = "";
        if (row->last > row->first)
            snprintf(blocks, sizeof blocks, " at %g and %g blocks", row->first, row->last);
        if (row->most > row->fewest)
            snprintf(threads, sizeof threads, "%s %g and %g threads", *blocks ? " of" : " with", row->fewest,
                     row->most);
        table_cells(t, "%s%s%s%s", how(r), blocks, threads, *blocks || *threads ? ", interpolated" : "");
    }
    free(rows.items);
}

static const struct cost *row_of(const struct costs *rows, const char *variant)
{
    for (const struct cost *row = rows->items; row < rows->items + rows->count; row++)
        if (strcmp(row->variant, variant) == 0)
            return row;
    return NULL;
}

/* Prints which barrier in a kernel is the fastest that orders memory, and how many times as long launches
 * and graphs take. */
static void print_decision(const struct result *r, const struct costs *rows, struct request wanted,
                           FILE *file)
{
    static const char *const others[][2] = {{"cpu-implicit", "launches back to back"},
                                            {"cpu-graph", "a CUDA graph"},
                                            {"cpu-graph-pdl", "a graph with dependent launch"}};
    const struct cost *best = NULL;
    char number[32];
    for (const struct cost *row = rows->items; row < rows->items + rows->count; row++)
        if (is_sure(row) && strncmp(row->variant, "cpu-", 4) != 0 && (!best || row->time.us < best->time.us))
            best = row;
    if (!best)
        return;
    fprintf(file,
            "Across %g blocks of %g threads %s is the fastest barrier that stays in the kernel: %s us (%s)",
            wanted.blocks, wanted.threads > 0 ? wanted.threads : best->fewest, best->variant,
            fixed(number, best->time.us, 3), how(r));
    const char *before = ". If registers and shared memory may be lost: ";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct cost *other = row_of(rows, others[i][0]);
        if (!other || !is_sure(other))
            continue;
        fprintf(file, "%s%s %sx that", before, others[i][1],
                fixed(number, other->time.us / best->time.us, 2));
        before = ", ";
    }
    fputs(".\n", file);
    if (r->machine)
        fputs("A difference of less than a third is within what such predictions are off.\n", file);
    fputc('\n', file);
}

/* Prints the table and empties it. In CSV this is done only for the last one, which has all rows. */
static void print_one(struct table *t, enum form form, bool is_last, FILE *file)
{
    if (is_for_programs(form) && !is_last)
        return;
    table_end(t, form, file);
    if (!is_for_programs(form))
        fputc('\n', file);
}

static void __attribute__((noreturn)) refuse(struct result *const results[SWEEPS], struct request wanted)
{
    char threads[32] = "";
    if (wanted.threads > 0)
        snprintf(threads, sizeof threads, " of %g threads", wanted.threads);
    double low = INFINITY, high = 0, fewest = INFINITY, most = 0;
    for (size_t s = 0; s < SWEEPS; s++)
        if (results[s])
            FOR_EACH_POINT(p, results[s])
            {
                if (is_baseline(text_of(p, "variant")))
                    continue;
                low = fmin(low, number_of(p, "blocks"));
                high = fmax(high, number_of(p, "blocks"));
                fewest = fmin(fewest, number_of(p, "threads"));
                most = fmax(most, number_of(p, "threads"));
            }
    fail(EXIT_BAD_INPUT, "%s has no barrier across %g blocks%s; it has %g to %g blocks of %g to %g threads",
         results[0]->path, wanted.blocks, threads, high > 0 ? low : 0, high, most > 0 ? fewest : 0, most);
}

void print_cost(const char *folder, const struct arguments *a, FILE *file)
{
    static const struct {
        const char *name, *what;
        bool spread;
    } hops[] = {
        {"micro-hop-pairs", "a hop of 128 bytes; interval: 90 % of pairs of multiprocessors and lines", true},
        {"micro-dependency", "a hop of 128 bytes between two blocks", false}};
    struct result *r = result_need(folder, "micro-barrier"), *results[SWEEPS] = {r};
    for (size_t s = 1; s < SWEEPS && a->threads > 0; s++)
        results[s] = result_open(folder, sweeps[s]);
    struct request wanted = {a->blocks > 0 ? a->blocks : r->sms, a->threads, a->unit,
                             is_for_programs(a->form), a->form == FORM_TEXT && !a->all};
    struct table t = {NULL, 0};
    struct costs barriers = barriers_of(results, wanted);
    char what[64];
    if (!barriers.count)
        refuse(results, wanted);
    if (a->form == FORM_TEXT)
        print_decision(r, &barriers, wanted, file);
    snprintf(what, sizeof what, "a barrier across %g blocks", wanted.blocks);
    add_rows(&t, r, what, barriers, 11, wanted);
    print_one(&t, a->form, false, file);
    bool has_hops = false;
    for (size_t i = 0; i < sizeof hops / sizeof *hops && !(wanted.is_short && has_hops); i++) {
        r = result_open(folder, hops[i].name);
        if (r) {
            add_rows(&t, r, hops[i].what, hops_of(r, hops[i].spread), 4, wanted);
            print_one(&t, a->form, false, file);
            has_hops = true;
        }
    }
    if (is_for_programs(a->form))
        print_one(&t, a->form, true, file);
    if (wanted.is_short)
        fputs("docs/barriers.md says what each method is; --all prints those that order no memory, too; "
              "--format csv is for programs.\n",
              file);
}

bool has_cost_of_all(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    bool has = false;
    for (int i = 0; r && i < SYNC_METHODS; i++)
        has = has ||
              (!is_baseline(sync_variants[i].name) && result_point(r, sync_variants[i].name, r->sms, -1, -1));
    return has;
}

void print_cost_of_all(const char *folder, enum form form, FILE *file)
{
    struct arguments all = {.form = form, .blocks = -1, .threads = -1, .all = true};
    print_cost(folder, &all, file);
}
