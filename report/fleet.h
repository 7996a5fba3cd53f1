/* Compares the cards of a fleet: three folders of results and more. */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "report/arguments.h"

#include <stdbool.h>
#include <stddef.h>

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

/* Returns whether a card with this time is outside in the number. */
bool is_outside(const struct number *number, double us);

/*
 * Compares each card (a folder of results) with all cards of its model (the device's name in the results). A
 * number is the compared time (report/timing.h) of one point: of a result, variant, size, threads and
 * blocks. The function prints how far the cards of each model spread, by result or, with the option
 * `points`, for each number: the median of the cards, quartiles, minimum and maximum; and it names the cards
 * that are outside.
 *
 * A card is outside in a number if its time differs from the median of the model's cards by more than 2 %
 * and by more than 5 scaled median absolute deviations (times 1.4826, which estimates a standard deviation).
 * The card itself is outside if the same is true of the median of its ratios to the medians, or if it is
 * outside in more than a twentieth of its numbers. Models with fewer than three cards are named and left
 * out.
 *
 * Draws plots/compare-fleet/MODEL.svg where gnuplot is, unless the form is for programs. Returns
 * EXIT_WRONG_RESULT if a figure could not be drawn or if, with the option `fail_slower`, the median of the
 * ratios of a card that is outside is above 1 + fail_slower; otherwise EXIT_VERIFIED. Exits with
 * EXIT_BAD_INPUT if no model has three cards.
 */
int compare_fleet(char **folders, size_t count, const struct arguments *options, FILE *file);

#endif
