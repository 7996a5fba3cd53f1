/* One file because a card, its numbers, their tables and their figure share types that no other file uses. */
#include "report/compare.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/draw.h"
#include "report/gnuplot.h"
#include "report/results.h"
#include "harness/methods.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CARDS 3      /* the smallest number of cards of a model for which a spread is computed */
#define MOST_NAMED_CARDS 3 /* the largest number of outlying cards that a row of the table names */

struct card {
    char *name;
    /* number of the card's numbers, and how many of them show the card as an outlier because it is slower, or
     * faster */
    size_t count, slower, faster;
    double ratio; /* median of the ratios of the card's times to the numbers' medians */
    bool is_outside;
    /* the number in which the card is outside by the largest ratio; NULL if the card is not outside in any */
    const struct fleet_number *worst;
    double worst_ratio;
};

struct model {
    char *name;
    double factor; /* factor that converts microseconds to the unit of --unit */
    struct card *cards;
    size_t card_count;
    struct record *records;
    size_t record_count;
    struct fleet_number *numbers;
    size_t number_count;
};

struct fleet {
    const struct arguments *options;
    struct model *models;
    size_t count;
    char **texts; /* names of results and variants; each name is once in the list */
    size_t text_count;
};

/* Limits for outliers ("outside"). A time is outside in its number if it differs from the median by more than
 * DEVIATIONS scaled median absolute deviations and by more than LEAST_SHARE of the median. A card is outside
 * if more than SHARE_OF_NUMBERS of its numbers are outside. */
#define DEVIATIONS 5
#define LEAST_SHARE 0.02
#define SHARE_OF_NUMBERS 0.05
#define SCALE_OF_MAD 1.4826

/* Returns the fleet's only copy of the text. */
static const char *fleet_text(struct fleet *fleet, const char *text)
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

bool is_outside(const struct fleet_number *number, double us)
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

/* Compares the points of two records; 0 means that both are times of the same number. */
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

static struct fleet_number number_of_records(const struct record *records, size_t count)
{
    double *us = allocate(count * sizeof *us);
    for (size_t i = 0; i < count; i++)
        us[i] = records[i].us;
    struct summary s = summarize(us, count);
    struct fleet_number number = {records,
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

static void note_time(struct card *card, const struct fleet_number *number, double us, double *ratio)
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

/* Computes the model's numbers that at least LEAST_CARDS cards have from its records, and judges its
 * cards. */
static void judge_model(struct model *model)
{
    size_t cards = model->card_count;
    make_numbers(model);
    /* the ratios of the first card, then of the second card and so on; and each card's median ratio */
    double *ratios = allocate((cards * model->number_count + 1) * sizeof *ratios),
           *medians = allocate((cards + 1) * sizeof *medians);
    for (const struct fleet_number *n = model->numbers; n < model->numbers + model->number_count; n++)
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

/* ---- the figure: the spread of a fleet's numbers ---- */

#define FOLDER "plots/compare-fleet"
#define MOST_DRAWN 8 /* largest number of cards that are drawn individually: those with the largest ratios */

static int by_spread(const void *a, const void *b)
{
    const struct fleet_number *x = *(const struct fleet_number *const *)a,
                              *y = *(const struct fleet_number *const *)b;
    double of_x = (x->high_quartile - x->low_quartile) / x->median,
           of_y = (y->high_quartile - y->low_quartile) / y->median;
    return (of_x > of_y) - (of_x < of_y);
}

/* Returns the model's numbers in the order of their spread; the caller frees the array. */
static const struct fleet_number **sorted_numbers(const struct model *model)
{
    const struct fleet_number **sorted = allocate((model->number_count + 1) * sizeof *sorted);
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

/* Returns the outlying cards that are drawn individually. The caller frees the array. */
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

static FILE *open_file(const char *path)
{
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
static void find_range_of_others(const struct model *model, const struct fleet_number *number, double *low,
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
    const char *path = made("%s.dat", stem);
    FILE *file = open_file(path);
    const struct fleet_number **numbers = sorted_numbers(model);
    for (size_t i = 0; i < model->number_count; i++) {
        const struct fleet_number *n = numbers[i];
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
    for (const struct fleet_number *n = model->numbers; n < model->numbers + model->number_count; n++) {
        *lowest = fmin(*lowest, 105 * (n->min / n->median - 1));
        *highest = fmax(*highest, 105 * (n->max / n->median - 1));
    }
}

static void write_set(const char *stem, const struct model *model, const struct card **cards, size_t count)
{
    static const char *const colors[MOST_DRAWN] = {"#d62728", "#ff7f0e", "#9467bd", "#8c564b",
                                                   "#e377c2", "#2ca02c", "#17becf", "#bcbd22"};
    const char *path = made("%s.set", stem);
    double lowest, highest;
    FILE *file = open_file(path);
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
    print_setting(file, "what",
                  made("%zu cards of %s, %zu numbers", model->card_count, model->name, model->number_count));
    print_setting(file, "xname", "numbers, in the order of their spread");
    print_setting(file, "yname", "percent above the median");
    fputs("logx = 0\nlogy = 0\nbinary = 0\nzero = 0\nstars = 0\ndiamonds = 0\nlines = 0\n", file);
    close_file(file, path);
}

/* Draws plots/compare-fleet/NAME.svg and .png, where NAME is the model's name in small letters or, if that
 * is not a plain name, model-PLACE; names the file in `file`. Returns whether gnuplot could draw it. */
static bool draw_model(const struct model *model, size_t place, FILE *file)
{
    size_t count;
    char *name = copy_text(model->name);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    const char *stem = is_plain_name(name) ? made(FOLDER "/%s", name) : made(FOLDER "/model-%zu", place + 1);
    free(name);
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

/* ---- reading ---- */

static struct model *model_of(struct fleet *fleet, const struct result *r)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (strcmp(fleet->models[i].name, r->device_name) == 0)
            return &fleet->models[i];
    fleet->models = with_room(fleet->models, sizeof *fleet->models, fleet->count, 1);
    struct model *model = &fleet->models[fleet->count++];
    *model =
        (struct model){.name = copy_text(r->device_name), .factor = unit_factor(fleet->options->unit, r)};
    return model;
}

/* Adds the times of a result's points to the model's records of the card. */
static void add_records(struct fleet *fleet, struct model *model, size_t card, const char *name,
                        const struct result *r)
{
    const char *kept = fleet_text(fleet, name);
    FOR_EACH_POINT(p, r)
    {
        const char *variant = text_of(p, "variant");
        double us = compared_time(r, p).us;
        if (was_wrong(p) || !(us > 0) || !isfinite(us) || !is_chosen(fleet->options->only, name, variant))
            continue;
        model->records = with_room(model->records, sizeof *model->records, model->record_count, 1);
        model->records[model->record_count++] =
            (struct record){.result = kept,
                            .variant = fleet_text(fleet, variant),
                            .size = size_counts_repetitions(r) ? 0 : number_of(p, "size"),
                            .threads = number_of(p, "threads"),
                            .blocks = number_of(p, "blocks"),
                            .card = card,
                            .us = us};
    }
}

static void read_card(struct fleet *fleet, const char *folder)
{
    size_t card = 0;
    struct model *model = NULL;
    const char *card_name = check_folder(folder);
    struct texts names = result_names(folder);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        struct result *r = result_is_one(folder, name) ? result_open(folder, name) : NULL;
        if (r && !model) {
            model = model_of(fleet, r);
            card = model->card_count++;
            model->cards = with_room(model->cards, sizeof *model->cards, card, 1);
            model->cards[card] = (struct card){.name = copy_text(card_name)};
        }
        if (r && strcmp(r->device_name, model->name) == 0)
            add_records(fleet, model, card, name, r);
    }
    free(names.items);
    if (!model)
        fprintf(stderr, "%s: left out: %s has no result\n", program_name(), folder);
    results_forget();
}

/* ---- printing ---- */

/* Returns "+3.1 %" for a ratio of 1.031. */
static const char *percent_text(double ratio, int digits)
{
    return made("%s%.*F %%", ratio > 1 ? "+" : "", digits, 100 * (ratio - 1));
}

static void add_outside(struct table *t, const struct model *model, const struct fleet_number *number)
{
    const char *text = "";
    size_t named = 0;
    for (size_t i = 0; i < number->count; i++) {
        const struct record *r = &number->records[i];
        if (is_outside(number, r->us) && named++ < MOST_NAMED_CARDS)
            text = made("%s%s%s %+.1f %%", text, *text ? ", " : "", model->cards[r->card].name,
                        100 * (r->us / number->median - 1));
    }
    table_cells(t, "%s%s", named ? text : "-",
                named > MOST_NAMED_CARDS ? made(" and %zu more", named - MOST_NAMED_CARDS) : "");
}

static void print_numbers(const struct model *model, const struct arguments *options, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t, "result | variant | size | threads | blocks | cards | median time | unit | lower quartile "
                  "| upper quartile | min | max | outside");
    for (const struct fleet_number *n = model->numbers; n < model->numbers + model->number_count; n++) {
        const struct record *first = n->records;
        table_add(&t, "%s | %s | %s | %g | %g | %zu | %.*F | %s | %s | %s | %s | %s", first->result,
                  first->variant, first->size ? made("%.15g", first->size) : "-", first->threads,
                  first->blocks, n->count, unit_digits(options->unit, 3), model->factor * n->median,
                  unit_name(options->unit), percent_text(n->low_quartile / n->median, 2),
                  percent_text(n->high_quartile / n->median, 2), percent_text(n->min / n->median, 2),
                  percent_text(n->max / n->median, 2));
        add_outside(&t, model, n);
    }
    table_end(&t, options->form, file);
}

/* Prints a row for each result: how far apart its numbers' quartiles are, and how many times of single cards
 * are outside. */
static void print_results(const struct model *model, const struct arguments *options, FILE *file)
{
    struct table t = {NULL, 0};
    double *apart = allocate((model->number_count + 1) * sizeof *apart);
    table_add(&t,
              "result | numbers | quartiles apart, usual | at most | min to max, at most | times outside");
    for (size_t begin = 0, end; begin < model->number_count; begin = end) {
        const char *result = model->numbers[begin].records->result;
        size_t outside = 0;
        double widest = 0;
        for (end = begin; end < model->number_count && model->numbers[end].records->result == result; end++) {
            const struct fleet_number *n = &model->numbers[end];
            apart[end - begin] = 100 * (n->high_quartile - n->low_quartile) / n->median;
            widest = fmax(widest, 100 * (n->max - n->min) / n->median);
            for (size_t i = 0; i < n->count; i++)
                outside += is_outside(n, n->records[i].us);
        }
        struct summary all = summarize(apart, end - begin);
        table_add(&t, "%s | %zu | %.2f %% | %.2f %% | %.2f %% | %zu", result, end - begin, all.median,
                  all.max, widest, outside);
    }
    table_end(&t, options->form, file);
    free(apart);
}

/* Prints the line of a card that is outside: in how many numbers, by how much, and where most. */
static void print_card(const struct card *card, FILE *file)
{
    const struct fleet_number *worst = card->worst;
    fprintf(file, "  %s: slower in %zu and faster in %zu of %zu numbers; in the median of all %s", card->name,
            card->slower, card->faster, card->count, percent_text(card->ratio, 2));
    if (worst)
        fprintf(file, "; most in %s, %s, %g blocks: %s", worst->records->result,
                named_plainly(worst->records->variant), worst->records->blocks,
                percent_text(card->worst_ratio, 1));
    fputc('\n', file);
}

static void print_cards(const struct model *model, FILE *file)
{
    size_t outside = 0;
    for (size_t c = 0; c < model->card_count; c++)
        outside += model->cards[c].is_outside;
    fprintf(file, outside ? "\n%zu of %zu cards are outside:\n" : "\nNo card is outside.\n", outside,
            model->card_count);
    for (size_t c = 0; c < model->card_count; c++)
        if (model->cards[c].is_outside)
            print_card(&model->cards[c], file);
}

/* Prints a row for each card; for programs. */
static void print_table_of_cards(const struct model *model, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t, "card | model | numbers | slower | faster | median ratio | outside");
    for (const struct card *card = model->cards; card < model->cards + model->card_count; card++) {
        table_add(&t, "%s | %s | %zu | %zu | %zu | %.4F | %s", card->name, model->name, card->count,
                  card->slower, card->faster, card->ratio, card->is_outside ? "yes" : "no");
    }
    table_end(&t, form, file);
}

static void print_model(const struct model *model, const struct arguments *options, FILE *file)
{
    if (!is_for_programs(options->form))
        fprintf(file, "%zu cards of %s, %zu numbers; percentages are of the cards' median\n\n",
                model->card_count, model->name, model->number_count);
    (options->points ? print_numbers : print_results)(model, options, file);
    if (options->form == FORM_TEXT) {
        print_cards(model, file);
    } else {
        if (options->form != FORM_JSON)
            fputc('\n', file);
        print_table_of_cards(model, options->form, file);
    }
}

int compare_fleet(char **folders, size_t count, const struct arguments *options, FILE *file)
{
    static struct fleet fleet; /* static, since its memory is needed until the program ends */
    size_t compared = 0, failed = 0;
    bool draws = !is_for_programs(options->form) && can_draw();
    fleet.options = options;
    for (size_t i = 0; i < count; i++)
        read_card(&fleet, folders[i]);
    for (size_t m = 0; m < fleet.count; m++) {
        struct model *model = &fleet.models[m];
        if (model->card_count < LEAST_CARDS || !model->record_count) {
            fprintf(stderr, "%s: left out: %s: %zu cards; a spread needs %d\n", program_name(), model->name,
                    model->card_count, LEAST_CARDS);
            continue;
        }
        if (compared++ && options->form != FORM_JSON)
            fputc('\n', file);
        judge_model(model);
        print_model(model, options, file);
        failed += draws && !draw_model(model, m, file);
        for (size_t c = 0; c < model->card_count; c++)
            failed += model->cards[c].is_outside && model->cards[c].ratio > 1 + options->fail_slower;
    }
    if (!compared)
        fail(EXIT_BAD_INPUT, "no three of these folders are of cards of one model with numbers in common");
    return failed ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}
