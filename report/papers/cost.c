/*
 * Makes the table `cost`: the time of a barrier with a requested number of blocks, and the time of a hop. It
 * has a row for each method that was measured or, on the memory machine, predicted. Between two measured
 * numbers of blocks the time is interpolated, and the row says so; beyond the largest measured number a
 * method has no row.
 */
#include "report/papers/cost.h"
#include "base/failure.h"
#include "harness/methods.h"
#include "report/timing.h"

#include <math.h>
#include <string.h>

struct request {
    /* the requested numbers of blocks and of threads in a block; -1 threads stand for any number */
    double blocks, threads;
    enum unit unit;
    bool for_csv;
};

/* The two measured points of a method whose numbers of blocks bracket the requested one. */
struct neighbours {
    /* the point with the largest measured number of blocks up to the requested one, and the point with the
     * smallest from it on (the same point if this number was measured); NULL if there is none */
    const cJSON *below, *above;
};

static struct neighbours neighbours_of(const struct result *r, const char *variant, struct request wanted)
{
    struct neighbours n = {NULL, NULL};
    FOR_EACH_POINT(p, r)
    {
        double blocks = number_of(p, "blocks");
        if (!point_is(p, variant) || (wanted.threads > 0 && number_of(p, "threads") != wanted.threads))
            continue;
        if (blocks <= wanted.blocks && (!n.below || blocks > number_of(n.below, "blocks")))
            n.below = p;
        if (blocks >= wanted.blocks && (!n.above || blocks < number_of(n.above, "blocks")))
            n.above = p;
    }
    return n;
}

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

/* Adds the time, given in microseconds, and its interval to the row, in the requested unit. In CSV the
 * interval takes two cells. */
static void add_time(struct table *t, const struct result *r, struct timing time, struct request wanted)
{
    char low[32], high[32];
    int digits = unit_digits(wanted.unit, 3);
    struct timing in_unit = timing_in(wanted.unit, r, time);
    table_number(t, in_unit.us, digits);
    if (wanted.for_csv) {
        table_number(t, in_unit.low, digits);
        table_number(t, in_unit.high, digits);
        return;
    }
    table_text(t, "[%s, %s]", fixed(low, in_unit.low, digits), fixed(high, in_unit.high, digits));
}

/* Begins a row. `what` describes the measured operation of the table; in CSV, where all tables become one,
 * each row contains it. */
static void begin_row(struct table *t, const char *what, struct request wanted)
{
    table_row(t);
    if (wanted.for_csv)
        table_text(t, "%s", what);
}

static void head(struct table *t, const char *what, struct request wanted)
{
    if (wanted.for_csv && t->count)
        return;
    begin_row(t, "what", wanted);
    table_text(t, "%s", wanted.for_csv ? "variant" : what);
    table_text(t, "%s", unit_name(wanted.unit));
    table_text(t, wanted.for_csv ? "low" : "interval");
    if (wanted.for_csv)
        table_text(t, "high");
    table_text(t, "ordered");
    table_text(t, "threads");
    table_text(t, "how");
}

/* Adds the row of a method. Returns false if its time is not known for the requested number of blocks. */
static bool add_barrier(struct table *t, const struct result *r, const char *what, const char *variant,
                        struct request wanted)
{
    struct neighbours n = neighbours_of(r, variant, wanted);
    if (!n.below || !n.above)
        return false;
    double first = number_of(n.below, "blocks"), last = number_of(n.above, "blocks");
    double share = last > first ? (wanted.blocks - first) / (last - first) : 0;
    begin_row(t, what, wanted);
    table_text(t, "%s", variant);
    add_time(t, r, interpolated(barrier_time(r, n.below), barrier_time(r, n.above), share), wanted);
    table_text(t, "%s", ordered_text(n.below));
    table_number(t, number_of(n.below, "threads"), 0);
    if (last > first)
        table_text(t, "%s at %g and %g blocks, interpolated", how(r), first, last);
    else
        table_text(t, "%s", how(r));
    return true;
}

static size_t add_barriers(struct table *t, const struct result *r, struct request wanted)
{
    size_t count = 0;
    char what[64];
    snprintf(what, sizeof what, "a barrier across %g blocks", wanted.blocks);
    head(t, what, wanted);
    for (int i = 0; i < SYNC_METHODS; i++)
        if (!is_baseline(sync_variants[i].name))
            count += add_barrier(t, r, what, sync_variants[i].name, wanted);
    return count;
}

/* Adds the rows of hops. A hop takes two blocks, so the requested number of blocks does not matter. With
 * `spread` a row's interval is the range over all pairs of multiprocessors and lines of memory; otherwise it
 * is the median's interval. */
static void add_hops(struct table *t, const struct result *r, const char *what, bool spread,
                     struct request wanted)
{
    head(t, what, wanted);
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
        begin_row(t, what, wanted);
        table_text(t, "%s", text_of(p, "variant"));
        add_time(t, r, time, wanted);
        table_text(t, "%s", ordered_text(p));
        table_number(t, number_of(p, "threads"), 0);
        table_text(t, "%s", how(r));
    }
}

/* Prints the table and empties it. In CSV this is done only for the last one, which has all rows. */
static void print_one(struct table *t, enum form form, bool is_last, FILE *file)
{
    if (form == FORM_CSV && !is_last)
        return;
    table_print(t, form, file);
    table_free(t);
    if (!is_for_programs(form))
        fputc('\n', file);
}

static void __attribute__((noreturn)) refuse(const struct result *r, struct request wanted)
{
    char threads[32] = "";
    if (wanted.threads > 0)
        snprintf(threads, sizeof threads, " of %g threads", wanted.threads);
    double low = INFINITY, high = 0, fewest = INFINITY, most = 0;
    FOR_EACH_POINT(p, r)
    {
        if (is_baseline(text_of(p, "variant")))
            continue;
        low = fmin(low, number_of(p, "blocks"));
        high = fmax(high, number_of(p, "blocks"));
        fewest = fmin(fewest, number_of(p, "threads"));
        most = fmax(most, number_of(p, "threads"));
    }
    fail(EXIT_BAD_INPUT, "%s has no barrier across %g blocks%s; it has %g to %g blocks of %g to %g threads",
         r->path, wanted.blocks, threads, high > 0 ? low : 0, high, most > 0 ? fewest : 0, most);
}

void print_cost(const char *folder, const struct arguments *a, FILE *file)
{
    static const struct {
        const char *name, *what;
        bool spread;
    } hops[] = {
        {"micro-hop-pairs", "a hop of 128 bytes; interval: 90 % of pairs of multiprocessors and lines", true},
        {"micro-dependency", "a hop of 128 bytes between two blocks", false}};
    struct result *r = result_need(folder, "micro-barrier");
    struct request wanted = {a->blocks > 0 ? a->blocks : r->sms, a->threads, a->unit, a->form == FORM_CSV};
    struct table t = {NULL, 0};
    if (!add_barriers(&t, r, wanted))
        refuse(r, wanted);
    print_one(&t, a->form, false, file);
    result_close(r);
    for (size_t i = 0; i < sizeof hops / sizeof *hops; i++) {
        r = result_open(folder, hops[i].name);
        if (r) {
            add_hops(&t, r, hops[i].what, hops[i].spread, wanted);
            print_one(&t, a->form, false, file);
        }
        result_close(r);
    }
    if (a->form == FORM_CSV)
        print_one(&t, a->form, true, file);
}

bool has_cost_of_all(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    bool has = false;
    for (int i = 0; r && i < SYNC_METHODS; i++)
        has = has ||
              (!is_baseline(sync_variants[i].name) && result_point(r, sync_variants[i].name, r->sms, -1, -1));
    result_close(r);
    return has;
}

void print_cost_of_all(const char *folder, enum form form, FILE *file)
{
    struct arguments all = {.form = form, .blocks = -1, .threads = -1};
    print_cost(folder, &all, file);
}
