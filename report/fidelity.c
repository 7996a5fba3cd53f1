#include "report/fidelity.h"
#include "report/results.h"
#include "report/cards.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/preset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the check that a machine's constants come from micro-components.json alone ---- */

/* Returns the value of a constant in a machine's description, or 0 if the description leaves it out
 * (machine/description.c). */
static double constant_of(const cJSON *constants, const char *name)
{
    double value = number_of(cJSON_GetObjectItemCaseSensitive(constants, name), "value");
    return isnan(value) ? 0 : value;
}

/* Fails if a constant differs between the two descriptions. Constants of links are compared only if
 * `has_links` is true. */
static void check_same(const char *path, const cJSON *constants, const cJSON *others, bool has_links)
{
    const cJSON *constant;
    cJSON_ArrayForEach(constant, constants)
    {
        if (!has_links && strncmp(constant->string, "link_", 5) == 0)
            continue;
        if (constant_of(others, constant->string) != constant_of(constants, constant->string))
            fail(EXIT_WRONG_RESULT, "%s: its %s is not what micro-components make", path, constant->string);
    }
}

static void check_constants(const struct result *predicted, const cJSON *preset)
{
    const cJSON *made = cJSON_GetObjectItem(preset, "constants");
    const cJSON *description = cJSON_GetObjectItem(predicted->device, "description");
    const cJSON *used = cJSON_GetObjectItem(description, "constants");
    /* The components of a single GPU have no links. The committed preset has links measured on other cards,
     * which no prediction for one GPU uses. */
    bool has_links = constant_of(made, "link_latency") != 0;
    check_same(predicted->path, made, used, has_links);
    check_same(predicted->path, used, made, has_links);
    if (number_of(preset, "clock_hz") != number_of(description, "clock_hz"))
        fail(EXIT_WRONG_RESULT, "%s: its machine is not what micro-components make", predicted->path);
}

/* ---- pairs of a predicted and a measured point ---- */

static bool is_alike(const cJSON *a, const cJSON *b)
{
    return point_is(a, text_of(b, "variant")) && number_of(a, "blocks") == number_of(b, "blocks") &&
           number_of(a, "threads") == number_of(b, "threads");
}

/*
 * Returns the predicted time of one operation in microseconds. If the size is a number of repetitions, the
 * machine repeats the operation less often than the GPU, so that the launch would weigh more in its run. To
 * cancel the launch, the function then takes a longer and a shorter run and divides the difference of their
 * times by the difference of their operations.
 */
static double predicted_us(const struct result *predicted, const cJSON *p, bool repetitions)
{
    double us = operation_time(predicted, p).us, operations = number_of(p, "operations");
    FOR_EACH_POINT(shorter, predicted)
    {
        double fewer = number_of(shorter, "operations");
        if (repetitions && is_alike(shorter, p) && fewer < operations)
            return (operations * us - run_time(predicted, shorter).us) / (operations - fewer);
    }
    return us;
}

/* Returns whether `predicted` has a longer run with the variant, blocks and threads of this point. The point
 * then serves only to be subtracted from the longer run. */
static bool is_shorter_run(const struct result *predicted, const cJSON *p)
{
    FOR_EACH_POINT(other, predicted)
    if (is_alike(other, p) && number_of(other, "size") > number_of(p, "size"))
        return true;
    return false;
}

static void add_point(struct fidelity *f, const struct result *measured, const struct result *predicted,
                      const cJSON *p)
{
    bool repetitions = size_counts_repetitions(measured);
    if (repetitions && is_shorter_run(predicted, p))
        return;
    const cJSON *m = result_point(measured, text_of(p, "variant"), number_of(p, "blocks"),
                                  number_of(p, "threads"), repetitions ? -1 : number_of(p, "size"));
    double operations = number_of(m, "operations");
    struct predicted_point pair = {.file = f->names_count,
                                   .point = p,
                                   .measured = run_time(measured, m).us,
                                   .predicted = operations * predicted_us(predicted, p, repetitions)};
    if (!(pair.measured > 0 && pair.predicted > 0))
        return;
    f->points = with_room(f->points, sizeof *f->points, f->count, 1);
    f->points[f->count++] = pair;
}

/* Opens the measured result that belongs to the predicted result `name`. PROGRAM@SWEEP-sampled predicts only
 * some points of PROGRAM@SWEEP. */
static struct result *measured_of(const char *folder, const char *name)
{
    static const char sampled[] = "-sampled";
    size_t length = strlen(name), suffix = sizeof sampled - 1;
    bool is_sample = length > suffix && strcmp(name + length - suffix, sampled) == 0;
    return result_open(folder, made("%.*s", (int)(is_sample ? length - suffix : length), name));
}

struct fidelity fidelity_read(const char *folder)
{
    const char *path = made("%s/predicted", folder);
    struct texts names = result_names(path);
    struct fidelity f = {.names = names.items};
    cJSON *preset = preset_of("of its components", made("%s/micro-components.json", path));
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        bool is_compared = strcmp(name, "micro-components") != 0;
        const struct result *predicted = is_compared ? result_open(path, name) : NULL,
                            *measured = is_compared ? measured_of(folder, name) : NULL;
        size_t before = f.count;
        if (predicted && measured) {
            check_constants(predicted, preset);
            FOR_EACH_POINT(p, predicted) add_point(&f, measured, predicted, p);
        }
        if (f.count > before) {
            f.names[f.names_count++] = name;
            f.first = f.first ? f.first : measured;
        }
    }
    cJSON_Delete(preset);
    return f;
}

void fidelity_close(struct fidelity *f)
{
    free(f->names);
    free(f->points);
}

/* ---- the table ---- */

static double ratio_of(const struct predicted_point *p)
{
    return p->predicted / p->measured;
}

/* Returns |log(predicted / measured)|, which is the same for a prediction of half the time and of twice the
 * time. */
static double error_of(const struct predicted_point *p)
{
    return fabs(log(ratio_of(p)));
}

/* Returns |predicted - measured| / measured, the error that most publications report. This error is smaller
 * for a prediction of half the measured time than for one of twice the time. */
static double relative_error_of(const struct predicted_point *p)
{
    return fabs(ratio_of(p) - 1);
}

/* The kinds into which points are grouped. A point belongs to the first kind that fits. Launches and locks
 * are recognized by the variant's name, the other kinds by the program's name. */
static const struct {
    /* the kind's name, and the words with which the names of its programs and of its variants begin,
     * separated by blanks */
    const char *name, *programs, *variants;
} kinds[] = {{"launches", "", "cpu launch graph"},
             {"locks", "", "lock tiny-lock shared-lock atom-lock"},
             {"barriers", "micro-barrier micro-split", ""},
             {"hops", "micro-dependency micro-megakernel micro-multi-gpu micro-producer-consumer", ""},
             {"instructions", "micro-latency", ""},
             {"algorithms", "", ""}};
#define KINDS (sizeof kinds / sizeof *kinds)

static bool begins_with_one_of(const char *name, const char *words)
{
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        if (strncmp(name, word, length) == 0)
            return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

static size_t kind_of(const struct fidelity *f, const struct predicted_point *p)
{
    size_t kind = 0;
    while (kind + 1 < KINDS && !begins_with_one_of(f->names[p->file], kinds[kind].programs) &&
           !begins_with_one_of(text_of(p->point, "variant"), kinds[kind].variants))
        kind++;
    return kind;
}

#define ALL ((size_t)-1)

/* A selection of points, for which the table has a row: the points of one file or of ALL files, and of one
 * kind or of ALL kinds. */
struct part {
    const char *name;
    size_t file, kind;
};

static bool is_in(const struct fidelity *f, const struct part *part, const struct predicted_point *p)
{
    return (part->file == ALL || p->file == part->file) && (part->kind == ALL || kind_of(f, p) == part->kind);
}

static double percent(size_t count, size_t of)
{
    return 100 * (double)count / (double)of;
}

static void add_worst(struct table *t, const struct fidelity *f, const struct part *part,
                      const struct predicted_point *worst)
{
    table_cells(t, "%.2F | %s%s%s, %.0f x %.0f, size %.0f", ratio_of(worst),
                part->file == ALL ? f->names[worst->file] : "", part->file == ALL ? ": " : "",
                text_of(worst->point, "variant"), number_of(worst->point, "blocks"),
                number_of(worst->point, "threads"), number_of(worst->point, "size"));
}

/* Adds a cell with the difference of two cards of one model, in percent, at the median point of the file. No
 * prediction can be more accurate than this difference. */
static void add_cards(struct table *t, const cJSON *cards, const struct part *part)
{
    double factor = part->file == ALL ? NAN : cards_factor(cards, part->name, "median_factor");
    if (isnan(factor))
        table_cells(t, "-");
    else
        table_cells(t, "%.1F", 100 * (factor - 1));
}

/* Adds the row of a selection of points, if it has any point. */
static void add_row(struct table *t, const struct fidelity *f, const cJSON *cards, struct part part)
{
    double *errors = allocate((f->count + 1) * sizeof *errors),
           *logs = allocate((f->count + 1) * sizeof *logs),
           *relative = allocate((f->count + 1) * sizeof *relative), sum = 0;
    size_t count = 0, close = 0, closer = 0;
    const struct predicted_point *worst = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const struct predicted_point *p = &f->points[i];
        if (!is_in(f, &part, p))
            continue;
        logs[count] = log(ratio_of(p));
        relative[count] = relative_error_of(p);
        sum += relative[count];
        errors[count++] = error_of(p);
        close += error_of(p) <= log(1.5);
        closer += error_of(p) <= log(1.25);
        if (!worst || error_of(p) > error_of(worst))
            worst = p;
    }
    if (worst) {
        table_add(t, "%s | %.0F | %.2F | %.1F | %.1F | %.0F", part.name, (double)count,
                  exp(quantile(logs, count, 0.5)), 100 * sum / (double)count,
                  100 * quantile(relative, count, 0.5), 100 * (exp(quantile(errors, count, 0.5)) - 1));
        add_cards(t, cards, &part);
        table_cells(t, "%.2F | %.0F | %.0F", exp(quantile(errors, count, 0.9)), percent(closer, count),
                    percent(close, count));
        add_worst(t, f, &part, worst);
    }
    free(errors);
    free(logs);
    free(relative);
}

void print_fidelity(const char *folder, enum form form, FILE *file)
{
    const char *const head[] = {"result",
                                "points",
                                "predicted / measured, median",
                                form == FORM_MARKDOWN ? "mean of \\|p - m\\| / m, %"
                                                      : "mean of |p - m| / m, %",
                                "its median, %",
                                "median factor off by, %",
                                "two cards differ by, %",
                                "90 % within a factor",
                                "within 1.25, %",
                                "within 1.5, %",
                                "worst",
                                "which: blocks x threads"};
    struct fidelity f = fidelity_read(folder);
    if (!f.count)
        fail(EXIT_BAD_INPUT, "%s/predicted has no point that %s has", folder, folder);
    const cJSON *cards = cards_of_either(folder, folder);
    struct table t = {NULL, 0};
    table_row(&t);
    for (size_t c = 0; c < sizeof head / sizeof *head; c++)
        table_cells(&t, "%s", head[c]);
    for (size_t i = 0; i < f.names_count && form != FORM_MARKDOWN; i++)
        add_row(&t, &f, cards, (struct part){f.names[i], i, ALL});
    for (size_t k = 0; k < KINDS; k++)
        add_row(&t, &f, cards, (struct part){kinds[k].name, ALL, k});
    add_row(&t, &f, cards, (struct part){"all", ALL, ALL});
    table_end(&t, form, file);
    fidelity_close(&f);
}

/* ---- the worst ---- */

#define WORST 10

/* Returns whether the point's error is the largest among all points of its file and variant. */
static bool is_worst_of_variant(const struct fidelity *f, const struct predicted_point *p)
{
    for (const struct predicted_point *o = f->points; o < f->points + f->count; o++)
        if (o->file == p->file && strcmp(text_of(o->point, "variant"), text_of(p->point, "variant")) == 0 &&
            (error_of(o) > error_of(p) || (o < p && !(error_of(o) < error_of(p)))))
            return false;
    return true;
}

static int compare_errors(const void *a, const void *b)
{
    double x = error_of(*(const struct predicted_point *const *)a),
           y = error_of(*(const struct predicted_point *const *)b);
    return (x < y) - (x > y);
}

void print_worst_predictions(const char *folder, enum form form, FILE *file)
{
    static const char *const shape[] = {"blocks", "threads", "size"};
    struct fidelity f = fidelity_read(folder);
    const struct predicted_point **worst = allocate((f.count + 1) * sizeof(const struct predicted_point *));
    struct table t = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < f.count; i++)
        if (is_worst_of_variant(&f, &f.points[i]))
            worst[count++] = &f.points[i];
    qsort(worst, count, sizeof(const struct predicted_point *), compare_errors);
    table_add(
        &t,
        "result | variant | blocks | threads | size | predicted, us | measured, us | predicted / measured");
    for (size_t i = 0; i < count && i < WORST; i++) {
        table_add(&t, "%s | %s", f.names[worst[i]->file], text_of(worst[i]->point, "variant"));
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            table_cells(&t, "%.0F", number_of(worst[i]->point, shape[s]));
        table_cells(&t, "%.2F | %.2F | %.2F", worst[i]->predicted, worst[i]->measured, ratio_of(worst[i]));
    }
    table_end(&t, form, file);
    free(worst);
    fidelity_close(&f);
}

/* ---- the figure ---- */

struct names fidelity_kinds(void)
{
    const char *names[KINDS];
    for (size_t k = 0; k < KINDS; k++)
        names[k] = kinds[k].name;
    return names_of_list(names, KINDS);
}

void write_fidelity(const struct fidelity *f, FILE *file)
{
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t p = 0; p < f->count; p++)
            if (kind_of(f, &f->points[p]) == k)
                fprintf(file, "%.9g\t%.9g\n", f->points[p].measured, f->points[p].predicted);
        fputs("\n\n", file);
    }
}
