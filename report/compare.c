/* Compares the results of two devices. One file because it makes the tables and sentences of one comparison,
 * each of which takes a few lines. */
#include "report/compare.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/cards.h"
#include "report/claims.h"
#include "report/figures.h"
#include "report/formula.h"
#include "report/results.h"
#include "harness/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions that differ ---- */

/* A sentence about a condition, and the results for which it holds. */
struct note {
    char *text;
    char *results; /* names of these results */
    size_t count;
};

struct notes {
    struct note *rows;
    size_t count;
};

static void add_note(struct notes *notes, const char *result, const char *text)
{
    size_t i = 0;
    while (i < notes->count && strcmp(notes->rows[i].text, text) != 0)
        i++;
    if (i == notes->count) {
        notes->rows = with_room(notes->rows, sizeof *notes->rows, notes->count, 1);
        notes->rows[notes->count++] = (struct note){copy_text(text), copy_text(""), 0};
    }
    struct note *note = &notes->rows[i];
    char *before = note->results;
    note->results = copy_text(made("%s%s%s", before, *before ? ", " : "", result));
    note->count++;
    free(before);
}

/* Two devices of different models always have different identifiers. */
static void note_device(struct notes *notes, const struct pair *pair)
{
    static const char *const keys[] = {"device.name", "device.uuid", "revision"};
    bool other_model = strcmp(text_of(pair->a->json, keys[0]), text_of(pair->b->json, keys[0])) != 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *a = text_of(pair->a->json, keys[i]), *b = text_of(pair->b->json, keys[i]);
        if (strcmp(a, b) == 0 || (i == 1 && other_model))
            continue;
        add_note(notes, pair->name, made("%s differs: %s, %s", keys[i], a, b));
    }
    if (is_true(pair->a->json, "dirty") || is_true(pair->b->json, "dirty"))
        add_note(notes, pair->name, "built from changed sources");
}

static void note_parameters(struct notes *notes, const struct pair *pair)
{
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, pair->a->parameters)
    {
        const cJSON *other = cJSON_GetObjectItem(pair->b->parameters, parameter->string);
        if (cJSON_Compare(parameter, other, true) || strcmp(parameter->string, "blocks") == 0 ||
            strcmp(parameter->string, "variants") == 0)
            continue;
        add_note(notes, pair->name, made("the parameter %s differs", parameter->string));
    }
}

/* Prints a line for each condition that differs: the device, the revision of the programs, and the parameters
 * other than the numbers of blocks and the variants. The line names the results that differ in it, or says
 * how many do. Prints nothing if no condition differs. */
static void print_compare_notes(const struct pair *pairs, size_t count, FILE *file)
{
    struct notes notes = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        note_device(&notes, &pairs[i]);
        note_parameters(&notes, &pairs[i]);
    }
    for (const struct note *n = notes.rows; n < notes.rows + notes.count; n++)
        if (n->count == count)
            fprintf(file, "note: %s\n", n->text);
        else if (n->count <= 3)
            fprintf(file, "note: %s: %s\n", n->results, n->text);
        else
            fprintf(file, "note: in %zu of %zu results: %s\n", n->count, count, n->text);
    for (size_t i = 0; i < notes.count; i++) {
        free(notes.rows[i].text);
        free(notes.rows[i].results);
    }
    free(notes.rows);
}

/* ---- one table, for every form but text ---- */

static void add_ratio(struct table *t, struct timing ratio, enum verdict_of_b verdict)
{
    table_cells(t, "%.4F | %.4F | %.4F | %s", ratio.us, ratio.low, ratio.high, verdict_names[verdict]);
}

/* print_table_of_questions prints a row for each question, and print_table_of_points one for each point. */
static void print_table_of_questions(const struct pair *pairs, size_t count, enum form form, FILE *file)
{
    size_t lines_count;
    struct summary_line *lines = summary_of(pairs, count, &lines_count);
    struct table t = {NULL, 0};
    table_add(&t, "question | points | ratio | low | high | verdict");
    for (size_t i = 0; i < lines_count; i++) {
        struct timing ratio = mean_of(&lines[i].mean);
        table_add(&t, "%s | %zu", lines[i].label, lines[i].mean.count);
        add_ratio(&t, ratio, verdict_on(ratio, lines[i].cards));
    }
    table_end(&t, form, file);
    free(lines);
}

static void print_table_of_points(const struct pair *pairs, size_t count, const char *a, const char *b,
                                  const struct arguments *options, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t,
              "result | variant | size | threads | blocks of %s | blocks of %s | %s | %s | unit | ratio | "
              "low | high | verdict",
              check_folder(a), check_folder(b), check_folder(a), check_folder(b));
    for (size_t i = 0; i < count; i++)
        for (const struct match *m = pairs[i].points; m < pairs[i].points + pairs[i].count; m++) {
            table_add(&t, "%s | %s | %.15g | %.15g | %g | %g | %.9g | %.9g | %s", pairs[i].name, m->variant,
                      number_of(m->a, "size"), number_of(m->a, "threads"), m->blocks_a, m->blocks_b,
                      timing_in(options->unit, pairs[i].a, compared_time(pairs[i].a, m->a)).us,
                      timing_in(options->unit, pairs[i].b, compared_time(pairs[i].b, m->b)).us,
                      unit_name(options->unit));
            add_ratio(&t, m->ratio, m->verdict);
        }
    table_end(&t, options->form, file);
}

/* ---- --only and --fail-slower ---- */

/* Exits with EXIT_BAD_INPUT if the list --only (NULL if absent) has a name that is neither one of the
 * folder's `results` nor a variant in them. */
static void check_only(const char *folder, struct texts results, const char *only)
{
    const char **names = NULL;
    size_t known = 0, length;
    char meant[NEAREST_BYTES];
    for (size_t i = 0; only && i < results.count; i++) {
        const char *result = results.items[i];
        struct result *r = result_is_one(folder, result) ? result_open(folder, result) : NULL;
        if (!r)
            continue;
        names = with_room(names, sizeof *names, known, r->variant_count + SYNC_METHODS + 1);
        names[known++] = result;
        FOR_EACH_VARIANT(v, r) names[known++] = v->variant;
        for (int m = 0; m < SYNC_METHODS; m++)
            if (sync_methods[m].plain && result_has(r, sync_variants[m].name))
                names[known++] = sync_methods[m].plain;
    }
    for (; only && *only; only += length + (only[length] == ',')) {
        bool found = false;
        length = strcspn(only, ",");
        const char *name = made("%.*s", (int)length, only);
        for (size_t i = 0; i < known; i++)
            found = found || (strncmp(names[i], name, strlen(name)) == 0 &&
                              (!names[i][strlen(name)] || names[i][strlen(name)] == '@'));
        if (!found)
            fail(EXIT_BAD_INPUT, "--only: %s has no result and no variant %s%s", folder, name,
                 did_you_mean(meant, "", name, names, known));
    }
    free(names);
}

#define MOST_NAMED 20

/* Prints to stderr the points whose ratio has its whole interval above 1 + allowed, only the first of many.
 * Returns their number. */
static size_t name_slower(const struct pair *pairs, size_t count, double allowed)
{
    size_t slower = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct match *m = pairs[i].points; m < pairs[i].points + pairs[i].count; m++)
            if (m->ratio.low > 1 + allowed && slower++ < MOST_NAMED)
                fputs(made("slower: %s, %s, %g blocks of %g threads, size %.15g: %.3F times as long [%.3F, "
                           "%.3F]\n",
                           pairs[i].name, m->variant, m->blocks_b, number_of(m->b, "threads"),
                           number_of(m->b, "size"), m->ratio.us, m->ratio.low, m->ratio.high),
                      stderr);
    if (slower > MOST_NAMED)
        fprintf(stderr, "slower: and %zu more\n", slower - MOST_NAMED);
    if (slower)
        fprintf(stderr, "%s: the second is slower by more than %g %% at %zu points\n", program_name(),
                100 * allowed, slower);
    return slower;
}

/* ---- the table of one experiment: its points and its best variants ---- */

/* Adds a cell with a time of a result, in the unit of --unit and with the unit's name. */
static void add_time(struct table *t, const struct result *r, const cJSON *p, enum unit unit)
{
    struct timing time = timing_in(unit, r, compared_time(r, p));
    table_cells(t, "%.*F %s", unit_digits(unit, 3), time.us, unit_name(unit));
}

static void add_match(struct table *t, const struct pair *pair, const struct match *m)
{
    table_add(t, "  %s", m->variant);
    if (m->blocks_a == m->blocks_b)
        table_cells(t, "%g blocks", m->blocks_a);
    else
        table_cells(t, "%g and %g blocks", m->blocks_a, m->blocks_b);
    if (pair->options && pair->options->in_unit) {
        add_time(t, pair->a, m->a, pair->options->unit);
        add_time(t, pair->b, m->b, pair->options->unit);
    }
    table_cells(t, "%.3F | [%.3F, %.3F] | %s", m->ratio.us, m->ratio.low, m->ratio.high,
                verdict_names[m->verdict]);
}

static const cJSON *best_point(const struct result *r, const char *variant, double size, double sms)
{
    bool micro = strncmp(r->experiment, "micro-", strlen("micro-")) == 0;
    return micro ? result_point(r, variant, sms, -1, size) : fastest_of(r, variant, size);
}

/* Adds a row for each variant: the ratio of the times of its best points, second device to first. In a
 * micro-benchmark, the best point is the point with as many blocks as the first device has
 * multiprocessors. */
static void add_best(struct table *t, const struct pair *pair)
{
    bool repetitions = size_counts_repetitions(pair->a);
    double size = repetitions ? -1 : pair->a->largest_size;
    if (!repetitions && size != pair->b->largest_size)
        return;
    FOR_EACH_VARIANT(v, pair->a)
    {
        const cJSON *x = best_point(pair->a, v->variant, size, pair->a->sms),
                    *y = best_point(pair->b, v->variant, size, pair->a->sms);
        if (!x || !y || was_wrong(x) || was_wrong(y) ||
            (pair->options && !is_chosen(pair->options->only, pair->name, v->variant)))
            continue;
        struct match m = compare_points(pair, x, y);
        add_match(t, pair, &m);
    }
}

static void print_details(const struct pair *pair, FILE *file)
{
    size_t of[VERDICTS] = {0};
    struct mean mean = {0};
    struct table t = {NULL, 0};
    for (size_t i = 0; i < pair->count; i++) {
        of[pair->points[i].verdict]++;
        add_to_mean(&mean, pair->points[i].ratio);
    }
    fprintf(file, "\n%s: %zu points in common: the second is", pair->name, pair->count);
    for (int v = 0; v < AS_CARDS; v++)
        fprintf(file, "%s %s at %zu", v ? "," : "", verdict_names[v], of[v]);
    if (!isnan(pair->cards))
        fputs(made(", and differs as cards of one model do (within %.2F) at %zu", pair->cards, of[AS_CARDS]),
              file);
    fputs(made("; geometric mean of the ratios %.3F\n", mean_of(&mean).us), file);
    if (pair->wrong)
        fprintf(file, "  %zu points whose results were wrong are left out\n", pair->wrong);
    if (!strstr(pair->name, "@sizes"))
        add_best(&t, pair);
    for (size_t i = 0; pair->options->points && i < pair->count; i++)
        add_match(&t, pair, &pair->points[i]);
    table_end(&t, FORM_TEXT, file);
}

/* ---- what a person decides by ---- */

/* Returns the time of the fastest barrier in a kernel that orders memory, with a block on every
 * multiprocessor; NaN if there is none. */
static double fastest_barrier(const char *folder)
{
    struct result *r = result_open(folder, "micro-barrier");
    return r ? barrier_time(r, fastest_point(r, r->sms, -1, is_ordered_barrier)).us : NAN;
}

/* Prints the times on which a decision depends, on both devices in microseconds; launches come first. */
static void print_deciding(const char *a, const char *b, enum form form, FILE *file)
{
    static const char *const rows[][2] = {
        {"kernel launches, each awaited (the host's time)", "barrier('micro-barrier', 'cpu-explicit', all)"},
        {"kernel launches, back to back (the host's time)", "barrier('micro-barrier', 'cpu-implicit', all)"},
        {"a CUDA graph", "barrier('micro-barrier', 'cpu-graph', all)"},
        {"a CUDA graph with dependent launch", "barrier('micro-barrier', 'cpu-graph-pdl', all)"},
        {"the fastest ordered barrier in the kernel", NULL},
        {"counter, in the kernel", "barrier('micro-barrier', 'counter', all)"},
        {"grid.sync(), in the kernel", "barrier('micro-barrier', 'grid-sync', all)"},
        {"a hop between blocks, data and flag in one word", "round('micro-hop-pairs', 'packed-16', all)"},
        {"a hop by a fence and a flag", "round('micro-hop-pairs', 'fence-add', all)"},
        {"an atomic addition", "round('micro-components', 'atomic', all)"},
        {"a fence after a store", "round('micro-components', 'fence-release-after-store', all)"},
        {"a token of LLM decoding, counter",
         "field('micro-decode@sizes', 'counter', 'per_operation', 2048) / 1000"}};
    struct sources of_a = {.folder = a}, of_b = {.folder = b};
    struct table t = {NULL, 0};
    table_add(&t, "us, a block on every multiprocessor | %s | %s | second / first", check_folder(a),
              check_folder(b));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value x = rows[i][1] ? formula_value(rows[i][1], &of_a)
                                    : (struct value){.is = fastest_barrier(a)},
                     y = rows[i][1] ? formula_value(rows[i][1], &of_b)
                                    : (struct value){.is = fastest_barrier(b)};
        if (*x.missing || *y.missing || !isfinite(x.is) || !isfinite(y.is))
            continue;
        table_add(&t, "%s | %.*F | %.*F | %.2F", rows[i][0], x.is < 100 ? 3 : 0, x.is, x.is < 100 ? 3 : 0,
                  y.is, y.is / x.is);
    }
    if (form == FORM_TEXT)
        fputc('\n', file);
    if (t.count > 1)
        table_print(&t, form, file);
    table_free(&t);
}

/* ---- claims and litmus tests: what holds or comes on one of the two only ---- */

#define FEW_CLAIMS 2 /* largest number of a paper's claims that is printed without --all */

/* Prints the papers' claims that agree on one device and do not on the other, if both can judge them. */
static void print_claims_apart(const char *a, const char *b, bool all, FILE *file)
{
    struct sources of_a = {.folder = a}, of_b = {.folder = b};
    size_t judged = 0, apart = 0;
    const cJSON *claim;
    cJSON_ArrayForEach(claim, all_claims())
    {
        struct judged x = judge_claim(claim, &of_a), y = judge_claim(claim, &of_b);
        if (!is_judged(x.verdict) || !is_judged(y.verdict))
            continue;
        judged++;
        if (agrees(x.verdict) == agrees(y.verdict) || (apart++ >= FEW_CLAIMS && !all))
            continue;
        fprintf(file, "%s  holds on %s, not on %s: %s, %s: %s\n", apart == 1 ? "\n" : "",
                check_folder(agrees(x.verdict) ? a : b), check_folder(agrees(x.verdict) ? b : a),
                text_of(claim, "paper"), text_of(claim, "place"), text_of(claim, "says"));
    }
    sources_close(&of_a);
    sources_close(&of_b);
    if (judged)
        fprintf(file, "%s%zu of %zu claims of the papers hold on one of the two only%s\n", apart ? "" : "\n",
                apart, judged, apart > FEW_CLAIMS && !all ? " (--all names them)" : "");
}

static bool is_litmus(const struct pair *pair)
{
    return strcmp(pair->a->experiment, "micro-litmus") == 0;
}

/* Prints in how many litmus tests the wanted outcome occurred on one device only. */
static void print_litmus_apart(const struct pair *pairs, size_t count, const char *a, const char *b,
                               FILE *file)
{
    size_t tests = 0, only_a = 0, only_b = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < pairs[i].count && is_litmus(&pairs[i]); k++) {
            bool x = number_of(pairs[i].points[k].a, "seen") > 0,
                 y = number_of(pairs[i].points[k].b, "seen") > 0;
            tests++;
            only_a += x && !y;
            only_b += y && !x;
        }
    if (tests)
        fprintf(file, "The outcome of %zu of %zu litmus tests came on %s only, that of %zu on %s only\n",
                only_a, tests, a, only_b, b);
}

/* ---- the summary of the comparison: a line for each question ---- */

/* Returns the question that the experiment's first figure helps to answer, or "" if the experiment has no
 * figure. *place becomes the figure's place in the list of figures. */
static const char *question_of(const struct result *r, const char *name, size_t *place)
{
    for (*place = 0; *place < figures_count; (*place)++) {
        const struct figure *f = &figures[*place];
        bool family = *f->result == '*' && strncmp(f->result + 1, r->family, strlen(r->family)) == 0;
        if (strcmp(f->result, name) == 0 || strcmp(f->result, r->experiment) == 0 || family)
            return f->question;
    }
    return "";
}

/* Returns which of the two devices is faster, and by how much, or why that is not known. */
static const char *which_is_faster(struct timing ratio, double cards, const char *a, const char *b)
{
    static const char *const neither[VERDICTS] = {
        [SAME] = "neither: the whole interval is within 2 %",
        [UNCLEAR] = "not sure: a part of the interval is within 2 %",
        [AS_CARDS] = "neither: two cards of one model differ by more"};
    enum verdict_of_b verdict = verdict_on(ratio, cards);
    if (neither[verdict])
        return neither[verdict];
    return made("%s is %.2F times as fast", verdict == FASTER ? b : a,
                verdict == FASTER ? 1 / ratio.us : ratio.us);
}

static void print_summary(const struct pair *pairs, size_t count, const char *a, const char *b, FILE *file)
{
    size_t lines_count;
    struct summary_line *lines = summary_of(pairs, count, &lines_count);
    struct table t = {NULL, 0};
    table_add(&t, "in short | second / first | interval | points | two cards | which is faster?");
    for (size_t i = 0; i < lines_count; i++) {
        struct timing ratio = mean_of(&lines[i].mean);
        double cards = lines[i].cards;
        table_add(&t, "%s | %.3F | [%.3F, %.3F] | %zu | %s | %s", lines[i].label, ratio.us, ratio.low,
                  ratio.high, lines[i].mean.count, isnan(cards) ? "-" : made("%.3F", cards),
                  which_is_faster(ratio, cards, a, b));
    }
    fputc('\n', file);
    table_end(&t, FORM_TEXT, file);
    free(lines);
    fprintf(
        file,
        "second / first: the geometric mean, over the points, of the time of %s over that of %s.\n"
        "two cards: the factor by which two cards of one model differ in this mean. One card's times drift "
        "by up to 2 %%.\n",
        b, a);
}

/* ---- folders ---- */

/* Returns whether the file is not a result, but describes the folder's results: cards.json or
 * robustness.json. */
static bool is_beside_results(const char *folder, const char *name)
{
    return (strcmp(name, "cards") == 0 || strcmp(name, "robustness") == 0) && has_file(folder, name);
}

/* Opens the results of an experiment in the folders `a` and `b` and compares their points. Returns false if
 * nothing can be compared. */
static bool open_pair(struct pair *pair, const char *a, const char *b, const char *name, const cJSON *cards,
                      const struct arguments *options, FILE *file)
{
    *pair = (struct pair){.name = name,
                          .options = options,
                          .cards = cards_factor(cards, name, "factor"),
                          .mean_cards = cards_factor(cards, name, "mean_factor")};
    if (!result_is_one(a, name) || !result_is_one(b, name)) {
        if (has_file(b, name) && !is_beside_results(b, name))
            fprintf(file, "left out: %s.json is no result\n", name);
        return false;
    }
    pair->a = result_open(a, name);
    pair->b = result_open(b, name);
    if (pair->a && pair->b && pair->a->machine != pair->b->machine)
        fail(EXIT_BAD_INPUT,
             "%s was %s and %s was %s: not comparable; %s fidelity DEVICE holds predictions "
             "against measurements",
             a, how(pair->a), b, how(pair->b), "report");
    if (pair->a && pair->b && match_points(pair, file) && pair->count)
        return true;
    free(pair->points);
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    size_t at_x, at_y;
    question_of(x->a, x->name, &at_x);
    question_of(y->a, y->name, &at_y);
    return at_x != at_y ? (at_x > at_y) - (at_x < at_y) : strcmp(x->name, y->name);
}

static void print_text(const struct pair *pairs, size_t count, const char *a, const char *b,
                       const struct arguments *options, FILE *file)
{
    bool details = options->all || options->points || options->only;
    fprintf(file, "%s and %s; a ratio is the second one's time over the first one's\n", a, b);
    if (!options->only) {
        print_deciding(a, b, FORM_TEXT, file);
        print_claims_apart(a, b, options->all, file);
        print_litmus_apart(pairs, count, check_folder(a), check_folder(b), file);
    }
    print_summary(pairs, count, check_folder(a), check_folder(b), file);
    for (size_t i = 0; i < count && details; i++)
        print_details(&pairs[i], file);
    print_compare_notes(pairs, count, file);
    if (!details)
        fputs("--all adds the best point of each variant, --points every point\n", file);
}

size_t compare_folders(const char *a, const char *b, const struct arguments *options, FILE *file)
{
    size_t compared = 0, slower = 0, place;
    FILE *notes = options->form == FORM_TEXT ? file : stderr;
    check_folder(a);
    check_folder(b);
    struct texts names = result_names(a);
    check_only(a, names, options->only);
    const cJSON *cards = cards_of_either(a, b);
    struct pair *pairs = allocate((names.count + 1) * sizeof *pairs);
    for (size_t i = 0; i < names.count; i++)
        compared += open_pair(&pairs[compared], a, b, names.items[i], cards, options, notes);
    if (!compared)
        fail(EXIT_BAD_INPUT, "%s and %s have no experiment or no point in common%s%s", a, b,
             options->only ? " of " : "", options->only ? options->only : "");
    for (size_t i = 0; i < compared; i++)
        pairs[i].question = question_of(pairs[i].a, pairs[i].name, &place);
    qsort(pairs, compared, sizeof *pairs, by_place);
    if (options->form == FORM_TEXT)
        print_text(pairs, compared, a, b, options, file);
    else if (options->points)
        print_table_of_points(pairs, compared, a, b, options, file);
    else {
        if (!options->only)
            print_deciding(a, b, options->form, file);
        print_table_of_questions(pairs, compared, options->form, file);
    }
    if (!isnan(options->fail_slower))
        slower = name_slower(pairs, compared, options->fail_slower);
    for (size_t i = 0; i < compared; i++)
        free(pairs[i].points);
    free(names.items);
    free(pairs);
    return slower;
}

void print_best_ratios(const char *a, const char *b, enum form form, FILE *file)
{
    static const char *const programs[] = {"micro-barrier", "fft",        "swat",
                                           "bitonic",       "swat-batch", "pairhmm"};
    struct table t = {NULL, 0};
    const cJSON *cards = cards_of_either(a, b);
    table_add(&t, "program, variant | where | time of %s over %s | interval | verdict", check_folder(b),
              check_folder(a));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct pair pair = {.name = programs[i],
                            .a = result_open(a, programs[i]),
                            .b = result_open(b, programs[i]),
                            .cards = cards_factor(cards, programs[i], "factor")};
        if (pair.a && pair.b) {
            size_t first = t.count;
            if (!is_for_programs(form))
                table_add(&t, "%s", programs[i]);
            add_best(&t, &pair);
            /* for programs, each row is complete without the preceding rows */
            for (size_t k = first; k < t.count && is_for_programs(form); k++) {
                char *variant = t.rows[k].cells[0];
                t.rows[k].cells[0] = copy_text(made("%s, %s", programs[i], variant + strspn(variant, " ")));
                free(variant);
            }
        }
    }
    table_end(&t, form, file);
}
