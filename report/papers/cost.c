/*
 * Makes the table `cost`: the time of a barrier with a requested number of blocks and of threads in a block,
 * and the time of a hop. It has a row for each method; unless all are requested, only the methods that order
 * memory are shown, with a sentence about the choice. Each row says how its time came about: it was measured,
 * interpolated between measured numbers of blocks or of threads, or predicted by the memory machine, which is
 * run for it. One file because the three ways depend on each other: a prediction starts from a measured time,
 * which may be interpolated.
 */
#include "report/papers/papers.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "harness/methods.h"
#include "report/devices.h"
#include "report/results.h"

#include <sys/wait.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The interval of an interpolated time is the union of its neighbours' intervals, widened by this share. When
 * measured points of two GPUs and a model are left out and interpolated, 95 % of them lie in the interval
 * (tests/report_cli).
 */
#define WIDENED 0.05
/* A predicted time is the nearest measured time, multiplied by the ratio of two predictions. On an H200, all
 * of 180 points with 64, 128, 512 and 1,024 threads, predicted from points with 256 threads, lie within this
 * factor, and 37 of 40 points with two and four blocks on a multiprocessor, predicted from points with one
 * block. The median error is 3 %; without the ratio it is 12 %. */
#define PREDICTED 1.3
/* The machine should answer within a minute, so it makes ROUNDS rounds, or fewer if there are many threads. A
 * block counts as at least 256 threads, because waiting takes time, too. */
#define ROUNDS 40
#define LEAST_ROUNDS 8
#define THREAD_ROUNDS 2e6

struct request {
    double blocks, threads; /* the requested numbers of blocks and of threads in a block */
    enum unit unit;
    bool for_programs;
    bool all;      /* also methods that are never the best choice */
    bool is_short; /* only the methods that order memory, the fastest first */
};

/* Interpolates between two times. The interval of the result contains the intervals of both. */
static struct timing interpolated(struct timing a, struct timing b, double share)
{
    return (struct timing){a.us + share * (b.us - a.us), fmin(a.low, b.low), fmax(a.high, b.high)};
}

static const char *ordered_text(const cJSON *p)
{
    if (is_true(p, "ordered"))
        return is_false(p, "verified") ? "WRONG" : "yes";
    return is_false(p, "verified") ? "no; wrong results" : "no";
}

/* Adds the time, given in microseconds, and its interval to the row, in the requested unit. For programs the
 * interval takes two cells, and the unit one. */
static void add_time(struct table *t, const struct result *r, struct timing time, bool is_predicted,
                     struct request wanted)
{
    int digits = unit_digits(wanted.unit, 3);
    struct timing in_unit = timing_in(wanted.unit, r, time);
    table_cells(t, "%.*F", digits, in_unit.us);
    if (wanted.for_programs) {
        table_cells(t, "%.*F | %.*F | %s", digits, in_unit.low, digits, in_unit.high, unit_name(wanted.unit));
        return;
    }
    if (in_unit.low == in_unit.high && is_predicted) /* a single run of the machine has no interval */
        table_cells(t, "-");
    else
        table_cells(t, "[%.*F, %.*F]", digits, in_unit.low, digits, in_unit.high);
}

/* Adds the head of the table. For programs all tables become one, in which each row has `what`, the measured
 * operation. Its other columns have the names that the table of points has (report/tables.c). */
static void head(struct table *t, const char *what, struct request wanted)
{
    if (!wanted.for_programs)
        table_add(t, "%s | %s | interval%s | registers | how", what, unit_name(wanted.unit),
                  wanted.is_short ? "" : " | ordered | threads");
    else if (!t->count)
        table_add(t, "what | variant | time | low | high | unit | ordered | threads | registers | how");
}

/* A method: a barrier or a hop. */
struct cost {
    struct timing time;
    const char *variant, *ordered;
    /* `time` is interpolated between these numbers of threads and of blocks; they are equal if it is not
     * interpolated */
    double fewest, most, first, last;
    /* Was the memory machine run for `time`? If so, `time` is the measured time with `first` blocks and
     * `fewest` threads multiplied by the machine's ratio; if `first` is 0, it is the machine's time
     * itself. */
    bool is_asked;
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

static const struct cost *row_of(const struct costs *rows, const char *variant)
{
    for (const struct cost *row = rows->items; row < rows->items + rows->count; row++)
        if (strcmp(row->variant, variant) == 0)
            return row;
    return NULL;
}

static bool is_interpolated(const struct cost *row)
{
    return row->last > row->first || row->most > row->fewest;
}

/* Returns whether the method ends the kernel, so that data in registers and shared memory is lost. */
static bool ends_kernel(const char *variant)
{
    return strncmp(variant, "cpu-", 4) == 0 || strncmp(variant, "graph", 5) == 0 ||
           strcmp(variant, "launch") == 0;
}

/* The results of micro-barrier: of its main sweep, and of the sweeps with other numbers of threads
 * (sweeps.txt). */
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
    /* The measured points nearest to the requested number of blocks: `below` has at most this number, and
     * `above` at least this number. If this number was measured, both are the same point. */
    const cJSON *below = NULL, *above = NULL;
    FOR_EACH_POINT(p, r)
    {
        double blocks = number_of(p, "blocks");
        if (!point_is(p, variant) || number_of(p, "threads") != wanted.threads)
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
    *cost = (struct cost){time, variant, ordered_text(below), threads, threads, first, last, false};
    return true;
}

/* A device that costs are asked of. */
struct device {
    const char *folder;
    struct result *results[SWEEPS]; /* NULL where nothing was measured */
    char preset[64];                /* the name of the machine that stands for it, or "" */
    struct result *asked;           /* what the machine predicted for this request, or NULL */
};

static void open_results(struct device *d)
{
    for (size_t s = 0; s < SWEEPS; s++)
        d->results[s] = result_open(d->folder, sweeps[s]);
}

/* Finds the cost of a method from the points of all sweeps. Interpolates if the number of blocks or threads
 * was not measured. Returns false if no measured number is below, or none is above, the requested one. */
static bool known_cost(const struct device *d, const char *variant, struct request wanted, struct cost *cost)
{
    struct cost one, fewer = {0}, more = {0};
    double threads = wanted.threads;
    for (size_t s = 0; s < SWEEPS; s++)
        if (d->results[s])
            FOR_EACH_POINT(p, d->results[s])
            {
                wanted.threads = number_of(p, "threads");
                if (!point_is(p, variant) || !cost_in(d->results[s], variant, wanted, &one))
                    continue;
                if (one.fewest <= threads && (!fewer.variant || one.fewest > fewer.fewest))
                    fewer = one;
                if (one.fewest >= threads && (!more.variant || one.fewest < more.fewest))
                    more = one;
            }
    if (!fewer.variant || !more.variant)
        return false;
    *cost = fewer;
    cost->time = interpolated(fewer.time, more.time, share_of(threads, fewer.fewest, more.fewest));
    cost->most = more.fewest;
    cost->first = fmin(fewer.first, more.first);
    cost->last = fmax(fewer.last, more.last);
    if (is_interpolated(cost)) {
        cost->time.low *= 1 - WIDENED;
        cost->time.high *= 1 + WIDENED;
    }
    return true;
}

/* Returns the measured numbers of blocks and threads of the method that are nearest to the requested ones, by
 * their ratios. Returns 0 blocks if the method was not measured on a GPU. */
static struct request nearest_known(const struct device *d, const char *variant, struct request wanted)
{
    struct request nearest = wanted;
    double least = INFINITY;
    nearest.blocks = 0;
    for (size_t s = 0; s < SWEEPS; s++)
        if (d->results[s] && !d->results[s]->machine)
            FOR_EACH_POINT(p, d->results[s])
            {
                double blocks = number_of(p, "blocks"), threads = number_of(p, "threads"),
                       distance = fabs(log(blocks / wanted.blocks)) + fabs(log(threads / wanted.threads));
                if (point_is(p, variant) && distance < least) {
                    least = distance;
                    nearest.blocks = blocks;
                    nearest.threads = threads;
                }
            }
    return nearest;
}

/* ---- what nobody measured ---- */

/* Returns a number that limits the blocks of a device: of the GPU, or of the machine's description. */
static double limit(const struct device *d, const char *name)
{
    double number = d->results[0] ? number_of(d->results[0]->device, name) : NAN;
    if (isnan(number) && *d->preset)
        number = number_of(json_of_suite(made("machine/presets/%s.json", d->preset)),
                           made("constants.%s.value", name));
    return number;
}

/* Stores the name of the preset that is a word of the folder's name, such as h100 of nvidia-h100-80gb-hbm3,
 * or "" if there is none. */
static void name_preset(struct device *d)
{
    char *names = copy_text(check_folder(d->folder)), *rest = names, *word;
    *d->preset = '\0';
    while (!*d->preset && (word = strsep(&rest, "-")))
        if (*word && access(suite_path(made("machine/presets/%s.json", word)), R_OK) == 0)
            snprintf(d->preset, sizeof d->preset, "%s", word);
    free(names);
}

/* The name of a method on the machine, which does not have the forms that are tuned for a GPU. */
static const char *on_machine(const char *variant)
{
    return strcmp(variant, "counter-tuned") == 0 ? "counter" : variant;
}

static bool can_predict(const struct device *d, const struct variant *v)
{
    const cJSON *preset = json_of_suite(made("machine/presets/%s.json", d->preset));
    const char *launch = v->graphs == GRAPHS_PROGRAMMATIC ? "launch_graph_pdl" : "launch_graph";
    return number_of(preset, "constants.compute_capability.value") >= v->capability &&
           (v->graphs == NO_GRAPHS || number_of(preset, made("constants.%s.value", launch)) > 0);
}

extern char **environ;

/* Starts the memory machine's micro-barrier. It writes PATH, and what it says into PATH.said. Exits with
 * EXIT_CANNOT if there is no such program. */
static pid_t start_machine(const struct device *d, struct request at, const char *variants, const char *path)
{
    char program[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 32);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : program;
    strcpy(slash, "/machine/micro-barrier");
    if (access(program, X_OK) != 0)
        fail(EXIT_CANNOT,
             "no GPU was measured so, and the memory machine that predicts it is not here; make machine in a "
             "clone of the suite builds it");
    double rounds = fmax(LEAST_ROUNDS, fmin(ROUNDS, THREAD_ROUNDS / (at.blocks * fmax(at.threads, 256))));
    const char *const arguments[] = {program,
                                     "--device",
                                     d->preset,
                                     "--blocks",
                                     made("%g", at.blocks),
                                     "--threads",
                                     made("%g", at.threads),
                                     "--variant",
                                     variants,
                                     "--size",
                                     made("%.0f", rounds),
                                     "--quiet",
                                     "--json",
                                     path,
                                     NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, made("%s.said", path),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t child;
    if (posix_spawn(&child, program, &actions, NULL, (char *const *)arguments, environ) != 0)
        fail(EXIT_CANNOT, "%s cannot be started", program);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* Waits for the machine and returns its result. On failure returns NULL, and `said` has the machine's
 * messages. */
static struct result *machine_ended(pid_t child, const char *path, char **said)
{
    const char *errors = made("%s.said", path);
    int status = -1;
    bool good = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    free(*said);
    *said = file_text(errors);
    struct result *r = good ? result_read(path) : NULL;
    unlink(errors);
    unlink(path);
    return r;
}

/* Adds the rows of the methods `missing`; `variants` are their names on the machine. */
static void add_predicted(struct device *d, struct costs *rows, const char *const *missing, size_t count,
                          const char *variants, struct request wanted)
{
    char *said = NULL;
    const char *parent = getenv("TMPDIR"), *paths[2];
    struct request near = nearest_known(d, missing[0], wanted);
    pid_t children[2];
    struct result *predicted[2] = {NULL};
    size_t runs = near.blocks > 0 ? 2 : 1;
    char *folder = copy_text(made("%s/gpusync-XXXXXX", parent && *parent ? parent : "/tmp"));
    if (!mkdtemp(folder))
        fail(EXIT_CANNOT, "no file can be written in %s", folder);
    for (size_t i = 0; i < runs; i++) {
        paths[i] = made("%s/%zu.json", folder, i);
        children[i] = start_machine(d, i ? near : wanted, variants, paths[i]);
    }
    for (size_t i = 0; i < runs; i++)
        predicted[i] = machine_ended(children[i], paths[i], &said);
    rmdir(folder);
    free(folder);
    if (!predicted[0] || (runs == 2 && !predicted[1]))
        fail(EXIT_BAD_INPUT, "the memory machine cannot predict it: %s", said ? said : "it was ended");
    free(said);
    d->asked = predicted[0];
    for (size_t i = 0; i < count; i++) {
        struct cost row = {.variant = missing[i]}, other, known;
        if (!cost_in(predicted[0], on_machine(missing[i]), wanted, &row))
            continue;
        row.variant = missing[i];
        row.is_asked = true;
        row.first = row.last = 0;
        if (runs == 2 && cost_in(predicted[1], on_machine(missing[i]), near, &other) &&
            known_cost(d, missing[i], near, &known)) {
            double us = known.time.us * row.time.us / other.time.us;
            row.time = (struct timing){us, us / PREDICTED, us * PREDICTED};
            row.ordered = known.ordered;
            row.first = row.last = near.blocks;
            row.fewest = row.most = near.threads;
        }
        add_cost(rows, row);
    }
}

static bool was_measured(const struct device *d, const char *variant)
{
    for (size_t s = 0; s < SWEEPS; s++)
        if (d->results[s] && result_has(d->results[s], variant))
            return true;
    return false;
}

/* Returns the rows of barriers. With `asks` the memory machine is run for methods that were not measured with
 * such blocks, or for all methods if the device was not measured at all. */
static struct costs barriers_of(struct device *d, struct request wanted, bool asks)
{
    struct costs rows = {NULL, 0};
    const char *missing[SYNC_METHODS + 1];
    const char *variants = "none";
    size_t count = 0;
    for (int i = 0; i <= SYNC_METHODS; i++) {
        /* counter-tuned is not a method of its own: counter with the GPU's best settings */
        const char *name = i < SYNC_METHODS ? sync_variants[i].name : "counter-tuned";
        struct cost row;
        if (is_baseline(name))
            continue;
        if (known_cost(d, name, wanted, &row)) {
            add_cost(&rows, row);
        } else if (asks && *d->preset &&
                   (d->results[0] ? was_measured(d, name)
                                  : i < SYNC_METHODS && can_predict(d, &sync_variants[i])) &&
                   (wanted.all || i == SYNC_METHODS ||
                    (sync_variants[i].ordered && strcmp(name, "cpu-explicit") != 0))) {
            missing[count++] = name;
            if (i < SYNC_METHODS)
                variants = made("%s,%s", variants, name);
        }
    }
    if (count)
        add_predicted(d, &rows, missing, count, variants, wanted);
    return rows;
}

/* Returns the rows of hops. A hop takes two blocks, so the requested number of blocks does not matter. With
 * `spread` a row's interval is the range over all pairs of multiprocessors and lines of memory; otherwise it
 * is the median's interval. Methods that `before` has are left out. */
static struct costs hops_of(const struct result *r, const struct costs *before, bool spread)
{
    struct costs rows = {NULL, 0};
    FOR_EACH_POINT(p, r)
    {
        struct timing time = operation_time(r, p);
        if (is_baseline(text_of(p, "variant")) || row_of(before, text_of(p, "variant")) ||
            number_of(p, "blocks") > r->sms || number_of(p, "size") != number_of(r->points->child, "size"))
            continue;
        if (spread) {
            time.low = number_of(p, "hops.low") * r->us;
            time.high = number_of(p, "hops.high") * r->us;
        }
        double threads = number_of(p, "threads");
        add_cost(&rows,
                 (struct cost){time, text_of(p, "variant"), ordered_text(p), threads, threads, 0, 0, false});
    }
    return rows;
}

/* Says how the time of a row came about. */
static void add_origin(struct table *t, const struct result *r, const struct cost *row)
{
    const char *blocks = "", *threads = "";
    if (row->is_asked && row->first > 0)
        table_cells(t, "predicted, from %g blocks of %g threads", row->first, row->fewest);
    if (row->last > row->first)
        blocks = made(" %g and %g blocks", row->first, row->last);
    if (row->most > row->fewest)
        threads = made("%s %g and %g threads", *blocks ? " of" : "", row->fewest, row->most);
    if (*blocks || *threads)
        table_cells(t, "%sinterpolated between%s%s", r->machine ? "predicted, " : "", blocks, threads);
    else if (!row->is_asked || !row->first)
        table_cells(t, "%s", row->is_asked ? "predicted" : how(r));
}

/* Adds the rows to the table. Unless all are requested, or the form is for programs, adds only methods that
 * order memory: at most `most`, the fastest first. */
static void add_rows(struct table *t, const struct result *r, const char *what, struct costs rows,
                     size_t most, struct request wanted)
{
    size_t shown = 0;
    head(t, what, wanted);
    if (wanted.is_short && rows.count)
        qsort(rows.items, rows.count, sizeof *rows.items, compare_numbers);
    for (const struct cost *row = rows.items; row < rows.items + rows.count; row++) {
        if (wanted.is_short && (!is_sure(row) || shown++ >= most))
            continue;
        table_row(t);
        if (wanted.for_programs)
            table_cells(t, "%s", what);
        table_cells(t, "%s", row->variant);
        add_time(t, r, row->time, r->machine || row->is_asked, wanted);
        if (!wanted.is_short)
            table_cells(t, "%s | %g", row->ordered,
                        row->most > row->fewest || row->is_asked ? wanted.threads : row->fewest);
        table_cells(t, "%s", ends_kernel(row->variant) ? "are lost" : "stay");
        add_origin(t, r, row);
    }
}

/* The width of the decoder of 1.2 billion parameters (micro/decode/README.md) */
#define DECODER_WIDTH 2048

/* Prints the time of a token of a decoder with dependent launch and with the suite's barrier, if the first is
 * the longer one. */
static void print_token(const char *folder, FILE *file)
{
    const struct result *r = result_open(folder, "micro-decode@sizes");
    const cJSON *graph = r ? result_point(r, "graph-pdl", -1, -1, DECODER_WIDTH) : NULL,
                *barrier = r ? result_point(r, "counter", -1, -1, DECODER_WIDTH) : NULL;
    if (graph && barrier && operation_time(r, graph).us > operation_time(r, barrier).us)
        fprintf(
            file,
            "It is not so for every kernel: a token of a decoder (width %d, %g blocks of %g threads) takes "
            "%.0f us in such a graph and %.0f us with counter.\n",
            DECODER_WIDTH, number_of(barrier, "blocks"), number_of(barrier, "threads"),
            operation_time(r, graph).us, operation_time(r, barrier).us);
}

/* Prints where else the barrier, which is predicted for this GPU, was measured across as many blocks. */
static void print_measured_elsewhere(const struct device *d, const char *variant, struct request wanted,
                                     FILE *file)
{
    struct texts folders = all_folders();
    for (size_t i = 0; i < folders.count; i++) {
        const char *folder = folders.items[i];
        struct device other = {.folder = folder};
        struct cost cost;
        open_results(&other);
        if (!is_same_file(folder, d->folder) && other.results[0] && !other.results[0]->machine &&
            known_cost(&other, variant, wanted, &cost) && !is_interpolated(&cost))
            fprintf(file, "%s was measured so: %.3f us (gpusync cost %s --blocks %g --threads %g).\n",
                    text_of(other.results[0]->device, "name"), cost.time.us, check_folder(folder),
                    wanted.blocks, wanted.threads);
    }
    free(folders.items);
}

/* Prints the decision: the fastest barrier in a kernel that orders memory, and what launches and graphs,
 * which lose registers and shared memory, take. */
static void print_decision(const struct device *d, const struct result *r, const struct costs *rows,
                           struct request wanted, FILE *file)
{
    static const char *const others[][2] = {{"cpu-implicit", "launches back to back"},
                                            {"cpu-graph", "a CUDA graph"},
                                            {"cpu-graph-pdl", "a graph with dependent launch"}};
    const struct cost *best = NULL, *other = NULL;
    const char *before = "; they are lost in ";
    bool is_predicted = r->machine, has_interpolated = false;
    for (const struct cost *row = rows->items; row < rows->items + rows->count; row++) {
        is_predicted = is_predicted || row->is_asked;
        has_interpolated = has_interpolated || is_interpolated(row);
        if (is_sure(row) && !ends_kernel(row->variant) && (!best || row->time.us < best->time.us))
            best = row;
    }
    if (!best)
        return;
    fprintf(file,
            "Across %g blocks of %g threads %s is the fastest barrier with which registers and shared memory "
            "stay: %.3f us (%s)",
            wanted.blocks, wanted.threads, best->variant, best->time.us,
            is_interpolated(best) ? "interpolated"
            : best->is_asked      ? "predicted"
                                  : how(r));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++, before = ", ")
        if ((other = row_of(rows, others[i][0])) && is_sure(other))
            fprintf(file, "%s%s: %.3f us (%.2fx)", before, others[i][1], other->time.us,
                    other->time.us / best->time.us);
    fputs(".\n", file);
    if (other)
        print_token(d->folder, file);
    if (has_interpolated)
        fputs("The interval of an interpolated time is one in which 95 of 100 left-out times lay.\n", file);
    if (is_predicted)
        fputs("Such predictions are off by up to a third; docs/machine.md says how good they are.\n", file);
    if (best->is_asked && !r->machine)
        print_measured_elsewhere(d, best->variant, wanted, file);
    fputc('\n', file);
}

/* Prints the table and empties it, unless the form is for programs, in which all tables become one. */
static void print_one(struct table *t, enum form form, FILE *file)
{
    if (is_for_programs(form))
        return;
    table_end(t, form, file);
    fputc('\n', file);
}

/* Exits if a GPU cannot hold the requested blocks at once, and says how many it holds. */
static void check_fits(const struct device *d, struct request wanted)
{
    double most = limit(d, "max_threads_per_block"),
           sms = d->results[0] ? d->results[0]->sms : limit(d, "sm_count"),
           fit = fmin(floor(limit(d, "max_threads_per_sm") / wanted.threads), limit(d, "max_blocks_per_sm"));
    if (wanted.threads > most)
        fail(EXIT_BAD_INPUT, "no barrier across blocks of %g threads: a block has at most %g", wanted.threads,
             most);
    if (wanted.blocks > sms * fit)
        fail(
            EXIT_BAD_INPUT,
            "no barrier across %g blocks of %g threads: a multiprocessor holds %g, and %g multiprocessors %g",
            wanted.blocks, wanted.threads, fit, sms, sms * fit);
}

/* Exits with a message that names the measured numbers of blocks and of threads. */
static void __attribute__((noreturn)) refuse(const struct device *d, struct request wanted)
{
    const char *known = "";
    for (size_t s = 0; s < SWEEPS; s++) {
        double low = INFINITY, high = 0;
        if (!d->results[s])
            continue;
        FOR_EACH_POINT(p, d->results[s])
        {
            low = fmin(low, number_of(p, "blocks"));
            high = fmax(high, number_of(p, "blocks"));
        }
        if (high > 0)
            known = made("%s%s%g to %g blocks of %g threads", known, *known ? ", " : "", low, high,
                         number_of(d->results[s]->points->child, "threads"));
    }
    fail(EXIT_BAD_INPUT, "%s has no barrier across %g blocks of %g threads; it has %s%s", d->folder,
         wanted.blocks, wanted.threads, *known ? known : "none",
         *d->preset ? "" : ", and no machine here stands for this GPU (gpusync measure describes one)");
}

/* Prints for which grid the costs are, and which options choose the numbers that the user has not given. */
static void print_grid(const struct arguments *a, struct request wanted, FILE *file)
{
    fprintf(file, "The grid has %g blocks%s of %g threads%s.\n", wanted.blocks,
            a->blocks > 0 ? "" : " (one on every multiprocessor; --blocks N chooses another number)",
            wanted.threads, a->threads > 0 ? "" : " (unless --threads T chooses another number)");
}

/* Prints the table of costs. With `asks` the memory machine is run for what was not measured. */
static void print_costs(const char *folder, const struct arguments *a, bool asks, FILE *file)
{
    static const struct {
        const char *name, *what;
        bool spread;
    } hops[] = {
        {"micro-hop-pairs", "a hop of 128 bytes; interval: 90 % of pairs of multiprocessors and lines", true},
        {"micro-dependency", "a hop of 128 bytes between two blocks", false}};
    struct device d = {.folder = folder};
    name_preset(&d);
    open_results(&d);
    if (!d.results[0] && !*d.preset)
        result_need(folder, sweeps[0]);
    const struct result *r = d.results[0];
    struct request wanted = {a->blocks > 0 ? a->blocks
                             : r           ? r->sms
                                           : limit(&d, "sm_count"),
                             a->threads > 0 ? a->threads
                             : r            ? number_of(r->points->child, "threads")
                                            : 256,
                             a->unit,
                             is_for_programs(a->form),
                             a->all,
                             a->form == FORM_TEXT && !a->all};
    struct table t = {NULL, 0};
    check_fits(&d, wanted);
    struct costs barriers = barriers_of(&d, wanted, asks);
    r = r ? r : d.asked;
    if (!barriers.count)
        refuse(&d, wanted);
    if (wanted.is_short)
        print_grid(a, wanted, file);
    if (a->form == FORM_TEXT)
        print_decision(&d, r, &barriers, wanted, file);
    const char *what = wanted.is_short
                           ? made("a barrier across %g blocks of %g threads", wanted.blocks, wanted.threads)
                           : made("a barrier across %g blocks", wanted.blocks);
    add_rows(&t, r, what, barriers, 11, wanted);
    free(barriers.items);
    print_one(&t, a->form, file);
    struct costs shown = {NULL, 0};
    for (size_t i = 0; i < sizeof hops / sizeof *hops && !(wanted.is_short && shown.count); i++) {
        r = result_open(folder, hops[i].name);
        if (r) {
            struct costs rows = hops_of(r, &shown, hops[i].spread);
            add_rows(&t, r, hops[i].what, rows, 4, wanted);
            print_one(&t, a->form, file);
            for (size_t k = 0; k < rows.count; k++)
                add_cost(&shown, rows.items[k]);
            free(rows.items);
        }
    }
    free(shown.items);
    if (is_for_programs(a->form))
        table_end(&t, a->form, file);
    if (!wanted.is_short)
        return;
    fputs("docs/barriers.md says what each method is; --all prints those that order no memory, too; "
          "--format csv is for programs.\n",
          file);
}

void print_cost(const char *folder, const struct arguments *a, FILE *file)
{
    print_costs(folder, a, true, file);
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
    print_costs(folder, &all, false, file);
}
