/* Makes the tables of blind/README.md, which compare times that were predicted before they were measured with
 * the measured times. A folder has predicted/CARD.tsv, measured/CARD.tsv and measured/CARD-again.tsv, with a
 * name and nanoseconds in each row. */
#include "report/papers/blind.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/tsv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
    for (size_t c = 0; c < CARDS; c++) {
        struct tsv measured = read_card(folder, "measured", cards[c], "");
        struct tsv predicted = read_card(folder, "predicted", cards[c], "");
        struct tsv again = read_card(folder, "measured", cards[c], "-again");
        add_errors(&t, cards[c], "predicted", &measured, &predicted);
        add_errors(&t, cards[c], "measured again", &measured, &again);
        tsv_free(&measured);
        tsv_free(&predicted);
        tsv_free(&again);
    }
    table_print(&t, form, file);
    table_free(&t);
}
