#include "report/fleet_model.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits for being outside. A time is outside in its number if it differs from the median by more than
 * DEVIATIONS scaled median absolute deviations and by more than LEAST_SHARE of the median. A card is outside
 * if more than SHARE_OF_NUMBERS of its numbers are outside. */
#define DEVIATIONS 5
#define LEAST_SHARE 0.02
#define SHARE_OF_NUMBERS 0.05
#define SCALE_OF_MAD 1.4826

const char *fleet_text(struct fleet *fleet, const char *text)
{
    for (size_t i = fleet->text_count; i-- > 0;)
        if (strcmp(fleet->texts[i], text) == 0)
            return fleet->texts[i];
    fleet->texts = with_room(fleet->texts, sizeof *fleet->texts, fleet->text_count, 1);
    return fleet->texts[fleet->text_count++] = copy_text(text);
}

static bool is_away(double value, double median, double deviation)
{
    double away = fabs(value - median);
    return away > DEVIATIONS * deviation && away > LEAST_SHARE * median;
}

bool is_outside(const struct number *number, double us)
{
    return is_away(us, number->median, number->deviation);
}

static double deviation_of(const double *values, size_t count, double median)
{
    double *away = allocate((count + 1) * sizeof *away);
    for (size_t i = 0; i < count; i++)
        away[i] = fabs(values[i] - median);
    double deviation = SCALE_OF_MAD * quantile(away, count, 0.5);
    free(away);
    return deviation;
}

/* ---- numbers ---- */

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Compares the points of two records; 0 means that they are times of one number. */
static int compare_points_of(const struct record *x, const struct record *y)
{
    int by_name = x->result == y->result ? 0 : strcmp(x->result, y->result);
    if (!by_name)
        by_name = x->variant == y->variant ? 0 : strcmp(x->variant, y->variant);
    if (by_name)
        return by_name;
    int by_size = order(x->size, y->size), by_threads = order(x->threads, y->threads);
    return by_size ? by_size : by_threads ? by_threads : order(x->blocks, y->blocks);
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int by_point = compare_points_of(x, y);
    return by_point ? by_point : (x->card > y->card) - (x->card < y->card);
}

/* Drops all but the first time that a card has for the same number. */
static void drop_repeated(struct model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->record_count; i++)
        if (!kept || compare_records(&model->records[kept - 1], &model->records[i]) != 0)
            model->records[kept++] = model->records[i];
    model->record_count = kept;
}

static struct number number_of_records(const struct record *records, size_t count)
{
    double *us = allocate(count * sizeof *us);
    for (size_t i = 0; i < count; i++)
        us[i] = records[i].us;
    struct summary s = summarize(us, count);
    struct number number = {records,
                            count,
                            s.median,
                            quantile(us, count, 0.25),
                            quantile(us, count, 0.75),
                            s.min,
                            s.max,
                            deviation_of(us, count, s.median)};
    free(us);
    return number;
}

static void make_numbers(struct model *model)
{
    qsort(model->records, model->record_count, sizeof *model->records, compare_records);
    drop_repeated(model);
    for (size_t begin = 0, end; begin < model->record_count; begin = end) {
        for (end = begin; end < model->record_count &&
                          compare_points_of(&model->records[begin], &model->records[end]) == 0;
             end++) {
        }
        if (end - begin < LEAST_CARDS)
            continue;
        model->numbers = with_room(model->numbers, sizeof *model->numbers, model->number_count, 1);
        model->numbers[model->number_count++] = number_of_records(&model->records[begin], end - begin);
    }
}

/* ---- cards ---- */

static void note_time(struct card *card, const struct number *number, double us, double *ratio)
{
    *ratio = us / number->median;
    if (!is_outside(number, us))
        return;
    card->slower += us > number->median;
    card->faster += us < number->median;
    if (!card->worst || fabs(log(*ratio)) > fabs(log(card->worst_ratio))) {
        card->worst = number;
        card->worst_ratio = *ratio;
    }
}

void judge_model(struct model *model)
{
    size_t cards = model->card_count;
    make_numbers(model);
    /* the ratios of the first card, then those of the second card and so on; and each card's median ratio */
    double *ratios = allocate((cards * model->number_count + 1) * sizeof *ratios),
           *medians = allocate((cards + 1) * sizeof *medians);
    for (const struct number *n = model->numbers; n < model->numbers + model->number_count; n++)
        for (size_t i = 0; i < n->count; i++) {
            struct card *card = &model->cards[n->records[i].card];
            note_time(card, n, n->records[i].us,
                      &ratios[n->records[i].card * model->number_count + card->count++]);
        }
    for (size_t c = 0; c < cards; c++)
        medians[c] = model->cards[c].ratio =
            model->cards[c].count ? quantile(&ratios[c * model->number_count], model->cards[c].count, 0.5)
                                  : 1;
    double median = quantile(medians, cards, 0.5), deviation = deviation_of(medians, cards, median);
    for (struct card *card = model->cards; card < model->cards + cards; card++)
        card->is_outside = is_away(card->ratio, median, deviation) ||
                           (double)(card->slower + card->faster) > SHARE_OF_NUMBERS * (double)card->count;
    free(ratios);
    free(medians);
}

void fleet_free(struct fleet *fleet)
{
    for (size_t m = 0; m < fleet->count; m++) {
        struct model *model = &fleet->models[m];
        for (size_t c = 0; c < model->card_count; c++)
            free(model->cards[c].name);
        free(model->cards);
        free(model->records);
        free(model->numbers);
        free(model->name);
    }
    for (size_t i = 0; i < fleet->text_count; i++)
        free(fleet->texts[i]);
    free(fleet->texts);
    free(fleet->models);
}
