/* The cards of a fleet, by model, and the numbers in which they are compared (report/fleet.h). */
#ifndef REPORT_FLEET_MODEL_H
#define REPORT_FLEET_MODEL_H

#include "base/statistics.h"
#include "report/arguments.h"

#include <stdbool.h>
#include <stddef.h>

#define LEAST_CARDS 3      /* the smallest number of cards of a model for which a spread is computed */
#define MOST_NAMED_CARDS 3 /* the largest number of outlying cards that a row of the table names */

/* The time of one point of one card, in microseconds. `size` is 0 if it counts repetitions only. */
struct record {
    const char *result, *variant;
    double size, threads, blocks, us;
    size_t card;
};

/* One number: the times of all cards that have it; their median and spread in microseconds. `deviation` is
 * the scaled median absolute deviation. */
struct number {
    const struct record *records;
    size_t count;
    double median, low_quartile, high_quartile, min, max, deviation;
};

struct card {
    char *name;
    /* number of the card's numbers, and in how many of them it is outside because it is slower, or faster */
    size_t count, slower, faster;
    double ratio; /* median of the ratios of the card's times to the numbers' medians */
    bool is_outside;
    /* the number in which the card is outside by the largest ratio; NULL if the card is not outside in any */
    const struct number *worst;
    double worst_ratio;
};

struct model {
    char *name;
    double factor; /* factor that converts microseconds to the unit of --unit */
    struct card *cards;
    size_t card_count;
    struct record *records;
    size_t record_count;
    struct number *numbers;
    size_t number_count;
};

struct fleet {
    const struct arguments *options;
    struct model *models;
    size_t count;
    char **texts; /* names of results and variants; each name is once in the list */
    size_t text_count;
};

/* Returns the fleet's only copy of the text. */
const char *fleet_text(struct fleet *fleet, const char *text);

/* Computes the model's numbers from its records, for those that at least LEAST_CARDS cards have, and judges
 * its cards. */
void judge_model(struct model *model);

/* Returns whether a card with this time is outside in the number. */
bool is_outside(const struct number *number, double us);

void fleet_free(struct fleet *fleet);

#endif
