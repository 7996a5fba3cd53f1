/* Makes the tables of blind/README.md, which compare times that were predicted before they were measured with
 * the measured times. A folder has predicted/CARD.tsv, measured/CARD.tsv and, if the card was measured twice,
 * measured/CARD-again.tsv, with a name and nanoseconds in each row. */
#include "report/papers/blind.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/papers/blind_points.h"
#include "report/tsv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CARDS 2
static const char *const cards[CARDS] = {"h100", "h200"};

static struct tsv read_card(const char *folder, const char *kind, const char *card, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "%s/%s%s", kind, card, ending);
    return tsv_read(folder, file);
}

/* Prints a table with a row for each program whose time was predicted and measured on all cards. */
void print_blind(const char *folder, enum form form, FILE *file)
{
    struct tsv predicted[CARDS], measured[CARDS];
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "program");
    for (size_t c = 0; c < CARDS; c++) {
        predicted[c] = read_card(folder, "predicted", cards[c], "");
        measured[c] = read_card(folder, "measured", cards[c], "");
        table_text(&t, c ? "H200: predicted, ns" : "H100: predicted, ns");
        table_text(&t, "measured, ns");
        table_text(&t, "ratio");
    }
    for (size_t i = 0; i < predicted[0].count; i++) {
        const char *name = predicted[0].rows[i].cells[0];
        const struct tsv_row *p[CARDS], *m[CARDS];
        bool is_whole = true;
        for (size_t c = 0; c < CARDS; c++) {
            p[c] = tsv_find(&predicted[c], name, 0);
            m[c] = tsv_find(&measured[c], name, 0);
            is_whole = is_whole && p[c] && m[c];
        }
        if (!is_whole)
            continue;
        table_row(&t);
        table_text(&t, "`%s`", name);
        for (size_t c = 0; c < CARDS; c++) {
            table_text(&t, "%s", p[c]->cells[1]);
            table_text(&t, "%s", m[c]->cells[1]);
            table_text(&t, "%.2f", tsv_number(p[c], 1) / tsv_number(m[c], 1));
        }
    }
    for (size_t c = 0; c < CARDS; c++) {
        tsv_free(&predicted[c]);
        tsv_free(&measured[c]);
    }
    table_print(&t, form, file);
    table_free(&t);
}

/* Adds a row: the errors of the times in `other` against the times in `measured`. */
static void add_errors(struct table *t, const char *card, const char *how, const struct tsv *measured,
                       const struct tsv *other)
{
    double *errors = allocate((measured->count + 1) * sizeof *errors), sum = 0, most = 0, worst = 0;
    const char *name_of_worst = "";
    size_t count = 0, within_1_25 = 0, within_1_5 = 0;
    for (size_t i = 0; i < measured->count; i++) {
        const struct tsv_row *m = &measured->rows[i], *o = tsv_find(other, m->cells[0], 0);
        if (!o)
            continue;
        double ratio = tsv_number(o, 1) / tsv_number(m, 1), factor = fmax(ratio, 1 / ratio);
        errors[count] = fabs(ratio - 1);
        sum += errors[count++];
        within_1_25 += factor <= 1.25;
        within_1_5 += factor <= 1.5;
        if (factor > most) {
            most = factor;
            worst = ratio;
            name_of_worst = m->cells[0];
        }
    }
    table_row(t);
    table_text(t, "the %s %s", card, how);
    table_text(t, "%zu", count);
    table_text(t, "%.1f", 100 * sum / (double)count);
    table_text(t, "%.1f", 100 * quantile(errors, count, 0.5));
    table_text(t, "%.0f", 100 * (double)within_1_25 / (double)count);
    table_text(t, "%.0f", 100 * (double)within_1_5 / (double)count);
    table_text(t, "%.2f (%s)", worst, name_of_worst);
    free(errors);
}

/* Adds a row: by how much a second measurement differs. Adds none if the card was measured once. */
static void add_second_measurement(struct table *t, const char *folder, const char *card,
                                   const struct tsv *measured)
{
    char path[600];
    snprintf(path, sizeof path, "%.400s/measured/%.150s-again.tsv", folder, card);
    if (access(path, F_OK) != 0)
        return;
    struct tsv again = read_card(folder, "measured", card, "-again");
    add_errors(t, card, "measured again", measured, &again);
    tsv_free(&again);
}

/* Prints how far the predictions for each card are off and, for comparison, by how much two measurements on
 * one card differ. */
void print_blind_errors(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "%s", "");
    table_text(&t, "points");
    table_text(&t, "%s", form == FORM_MARKDOWN ? "mean of \\|p - m\\| / m, %" : "mean of |p - m| / m, %");
    table_text(&t, "its median, %%");
    table_text(&t, "within 1.25, %%");
    table_text(&t, "within 1.5, %%");
    table_text(&t, "worst, predicted / measured");
    size_t count;
    char **measured_cards = blind_cards(folder, &count);
    for (size_t c = 0; c < count; c++) {
        struct tsv measured = read_card(folder, "measured", measured_cards[c], "");
        struct tsv predicted = read_card(folder, "predicted", measured_cards[c], "");
        add_errors(&t, measured_cards[c], "predicted", &measured, &predicted);
        add_second_measurement(&t, folder, measured_cards[c], &measured);
        tsv_free(&measured);
        tsv_free(&predicted);
        free(measured_cards[c]);
    }
    free(measured_cards);
    table_print(&t, form, file);
    table_free(&t);
}

/* Returns 1 if the first time is longer than the second, -1 if it is shorter, and 0 for a tie: they differ by
 * less than 5 %. */
static int which_is_longer(double first, double second)
{
    double ratio = first / second;
    return fabs(ratio - 1) < 0.05 ? 0 : ratio > 1 ? 1 : -1;
}

/* Numbers of pairs of points: all pairs; pairs whose measured times are a tie; pairs for which prediction and
 * measurement agree; and pairs for which only one of the two is a tie. */
struct pair_counts {
    int all, ties, same, one_tie;
};

static struct pair_counts count_pairs(const struct tsv *pairs, const struct tsv *predicted,
                                      const struct tsv *measured)
{
    struct pair_counts counts = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        char *const *names = pairs->rows[i].cells;
        const struct tsv_row *p[2], *m[2];
        for (int k = 0; k < 2; k++) {
            p[k] = tsv_find(predicted, names[k], 0);
            m[k] = tsv_find(measured, names[k], 0);
        }
        if (!p[0] || !p[1] || !m[0] || !m[1])
            continue;
        int said = which_is_longer(tsv_number(p[0], 1), tsv_number(p[1], 1));
        int is = which_is_longer(tsv_number(m[0], 1), tsv_number(m[1], 1));
        counts.all++;
        counts.ties += !is;
        counts.same += said == is;
        counts.one_tie += said != is && !(said && is);
    }
    return counts;
}

/* Prints for each measured card the number of pairs of points (FOLDER/pairs.tsv) for which the prediction
 * says correctly which point takes longer. */
void print_blind_pairs(const char *folder, enum form form, FILE *file)
{
    struct tsv pairs = tsv_read(folder, "pairs");
    struct table t = {NULL, 0};
    size_t count;
    char **measured_cards = blind_cards(folder, &count);
    table_row(&t);
    static const char *const titles[] = {"",           "pairs",        "measured as a tie", "said rightly",
                                         "rightly, %", "one is a tie", "the wrong one, %"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_text(&t, "%s", titles[i]);
    for (size_t c = 0; c < count; c++) {
        struct tsv measured = read_card(folder, "measured", measured_cards[c], "");
        struct tsv predicted = read_card(folder, "predicted", measured_cards[c], "");
        struct pair_counts of = count_pairs(&pairs, &predicted, &measured);
        table_row(&t);
        table_text(&t, "the %s", measured_cards[c]);
        table_text(&t, "%d", of.all);
        table_text(&t, "%d", of.ties);
        table_text(&t, "%d", of.same);
        table_text(&t, "%.0f", 100.0 * of.same / of.all);
        table_text(&t, "%d", of.one_tie);
        table_text(&t, "%.0f", 100.0 * (of.all - of.same - of.one_tie) / of.all);
        tsv_free(&measured);
        tsv_free(&predicted);
        free(measured_cards[c]);
    }
    free(measured_cards);
    tsv_free(&pairs);
    table_print(&t, form, file);
    table_free(&t);
}
