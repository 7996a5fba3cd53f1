#include "report/fleet_figure.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/draw.h"
#include "report/gnuplot.h"
#include "report/results.h"
#include "report/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "plots/compare-fleet"
#define MOST_DRAWN 8 /* largest number of cards that are drawn individually: those with the largest ratios */

static int by_spread(const void *a, const void *b)
{
    const struct number *x = *(const struct number *const *)a, *y = *(const struct number *const *)b;
    double of_x = (x->high_quartile - x->low_quartile) / x->median,
           of_y = (y->high_quartile - y->low_quartile) / y->median;
    return (of_x > of_y) - (of_x < of_y);
}

/* Returns the model's numbers in the order of their spread; the caller frees the array. */
static const struct number **sorted_numbers(const struct model *model)
{
    const struct number **sorted = allocate((model->number_count + 1) * sizeof *sorted);
    for (size_t i = 0; i < model->number_count; i++)
        sorted[i] = &model->numbers[i];
    qsort(sorted, model->number_count, sizeof *sorted, by_spread);
    return sorted;
}

static int by_ratio(const void *a, const void *b)
{
    double x = fabs(log((*(const struct card *const *)a)->ratio)),
           y = fabs(log((*(const struct card *const *)b)->ratio));
    return (x < y) - (x > y);
}

/* Returns those of the cards outside that are drawn individually. The caller frees the array. */
static const struct card **drawn_cards(const struct model *model, size_t *count)
{
    const struct card **cards = allocate((model->card_count + 1) * sizeof *cards);
    *count = 0;
    for (size_t c = 0; c < model->card_count; c++)
        if (model->cards[c].is_outside)
            cards[(*count)++] = &model->cards[c];
    if (*count)
        qsort(cards, *count, sizeof *cards, by_ratio);
    *count = *count < MOST_DRAWN ? *count : MOST_DRAWN;
    return cards;
}

static FILE *open_file(const char *stem, const char *ending, char path[600])
{
    snprintf(path, 600, "%s.%s", stem, ending);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
    return file;
}

static void close_file(FILE *file, const char *path)
{
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
}

/* Finds the smallest and the largest time of those cards that are not outside. */
static void find_range_of_others(const struct model *model, const struct number *number, double *low,
                                 double *high)
{
    *low = *high = number->median;
    for (size_t i = 0; i < number->count; i++)
        if (!model->cards[number->records[i].card].is_outside) {
            *low = fmin(*low, number->records[i].us);
            *high = fmax(*high, number->records[i].us);
        }
}

/* Writes the data: a set with the spread of each number as percentages of its median, then a set of each
 * card. */
static void write_data(const char *stem, const struct model *model, const struct card **cards, size_t count)
{
    char path[600];
    FILE *file = open_file(stem, "dat", path);
    const struct number **numbers = sorted_numbers(model);
    for (size_t i = 0; i < model->number_count; i++) {
        const struct number *n = numbers[i];
        double low, high;
        find_range_of_others(model, n, &low, &high);
        fprintf(file, "%zu\t%.9g\t%.9g\t%.9g\t%.9g\n", i + 1, 100 * (n->low_quartile / n->median - 1),
                100 * (n->high_quartile / n->median - 1), 100 * (low / n->median - 1),
                100 * (high / n->median - 1));
    }
    for (size_t c = 0; c < count; c++) {
        fputs("\n\n", file);
        for (size_t i = 0; i < model->number_count; i++)
            for (size_t r = 0; r < numbers[i]->count; r++)
                if (&model->cards[numbers[i]->records[r].card] == cards[c])
                    fprintf(file, "%zu\t%.9g\n", i + 1,
                            100 * (numbers[i]->records[r].us / numbers[i]->median - 1));
    }
    free(numbers);
    close_file(file, path);
}

/* Finds the range of percentages that the drawing shows. It contains at least -1 to 1, because gnuplot
 * refuses a range of length 0, which would result from identical cards. */
static void find_ends(const struct model *model, double *lowest, double *highest)
{
    *lowest = -1;
    *highest = 1;
    for (const struct number *n = model->numbers; n < model->numbers + model->number_count; n++) {
        *lowest = fmin(*lowest, 105 * (n->min / n->median - 1));
        *highest = fmax(*highest, 105 * (n->max / n->median - 1));
    }
}

static void write_set(const char *stem, const struct model *model, const struct card **cards, size_t count)
{
    static const char *const colors[MOST_DRAWN] = {"#d62728", "#ff7f0e", "#9467bd", "#8c564b",
                                                   "#e377c2", "#2ca02c", "#17becf", "#bcbd22"};
    char path[600], what[512];
    double lowest, highest;
    FILE *file = open_file(stem, "set", path);
    find_ends(model, &lowest, &highest);
    fprintf(file, "lowest = %.9g\nhighest = %.9g\n", lowest, highest);
    fputs("names = '", file);
    for (size_t c = 0; c < count; c++)
        fprintf(file, "%s ", cards[c]->name); /* safe in quotes: it is a plain name (check_folder) */
    fputs("'\ncolors = '", file);
    for (size_t c = 0; c < count; c++)
        fprintf(file, "%s ", colors[c]);
    fputs("'\npoints = '", file);
    for (size_t c = 0; c < count; c++)
        fprintf(file, "%zu ", 4 + 2 * (c % 3));
    fputs("'\ndashes = ''\n", file);
    print_setting(file, "heading", "Spread of each number over the cards, and the cards that are outside");
    snprintf(what, sizeof what, "%zu cards of %.200s, %zu numbers", model->card_count, model->name,
             model->number_count);
    print_setting(file, "what", what);
    print_setting(file, "xname", "numbers, in the order of their spread");
    print_setting(file, "yname", "percent above the median");
    fputs("logx = 0\nlogy = 0\nbinary = 0\nzero = 0\nstars = 0\ndiamonds = 0\n", file);
    close_file(file, path);
}

bool draw_model(const struct model *model, size_t place, FILE *file)
{
    char name[128], stem[256];
    size_t count;
    snprintf(name, sizeof name, "%.100s", model->name);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    if (!is_plain_name(name))
        snprintf(name, sizeof name, "model-%zu", place + 1);
    snprintf(stem, sizeof stem, FOLDER "/%s", name);
    make_folder("plots");
    make_folder(FOLDER);
    const struct card **cards = drawn_cards(model, &count);
    write_data(stem, model, cards, count);
    write_set(stem, model, cards, count);
    free(cards);
    bool drawn = gnuplot_draw("fleet", stem, model->name);
    if (drawn)
        fprintf(file, "\nfigure: %s.svg\n", stem);
    return drawn;
}
