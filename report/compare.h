/* Compares the results of devices: of two, or of the cards of a fleet. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/arguments.h"
#include "report/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Compares two folders of results and prints: the times by which a person decides; the papers' claims that
 * hold on one of the two only, and in how many litmus tests an outcome came on one only; one line for each
 * question; with `all`, `points` or `only`, the verdicts and the best variants of each experiment; and the
 * conditions that differ. A point is compared
 * if both folders have a point with its variant, size, threads and blocks. "Best" means the fastest point
 * with the largest size. For micro-benchmarks, whose work grows with the blocks, it means the point with as
 * many blocks as A has multiprocessors.
 *
 * The ratio of a point is B's compared_time (report/results.h) divided by A's. The interval of the ratio
 * spans all values that the 95 % intervals of both times allow. B is "faster" or "slower" if the whole
 * interval differs from 1 by more than 2 %, "same" if all of it lies within 2 % of 1, and otherwise
 * "unclear". If two cards of A's or B's model differ by as much in this experiment (report/cards.h), the
 * verdict is "as cards differ" instead. Files that are not results and experiments that cannot be compared
 * are named and left out; points that have no time, because they only count something, are left out.
 *
 * The options: `points` prints every point; `only` leaves out the results and variants that it does not
 * name; `unit`, if given, adds the times to the ratios. In a form other than text, there are two tables: of
 * the times and of the questions; or, with `points`, one of all points with their times. Returns the number
 * of points that are slower than `fail_slower` allows: whose whole interval lies above 1 + fail_slower. Names
 * them on stderr.
 *
 * Exits with EXIT_BAD_INPUT if there is nothing to compare.
 */
size_t compare_folders(const char *a, const char *b, const struct arguments *options, FILE *file);

/* Prints one table of all experiments: the ratios of device B's times to device A's, for the best points of
 * each variant. */
void print_best_ratios(const char *a, const char *b, enum form form, FILE *file);

/* ---- report/compare_pair.c: the points of two devices in pairs ---- */

enum verdict_of_b { FASTER, SLOWER, SAME, UNCLEAR, AS_CARDS, VERDICTS };
extern const char *const verdict_names[];

struct match {
    const char *variant;
    const cJSON *a, *b; /* the two points */
    double blocks_a, blocks_b;
    struct timing ratio; /* device B's time divided by device A's */
    enum verdict_of_b verdict;
};

/* The results of one experiment on both compared devices, A and B. */
struct pair {
    const char *name;
    struct result *a, *b;
    /* the factors by which two cards of one model differ in a point, and in the mean of all points; NaN if
     * unknown */
    double cards, mean_cards;
    struct match *points;
    size_t count;
    size_t wrong; /* number of points that are left out because their results are wrong on A or B */
    const struct arguments *options;
    const char *question;
};

/* The sums from which geometric means are computed: the logarithms of ratios, and of the ends of the ratios'
 * intervals. */
struct mean {
    struct timing logs;
    size_t count;
};

/* A line of the summary: the mean ratio of a question's points and, if known, the factor by which cards of
 * one model differ. */
struct summary_line {
    const char *label;
    struct mean mean;
    double cards;
};

/* Returns the verdict on a ratio of B's time to A's; `cards` is the factor by which cards of one model
 * differ, or NaN. */
enum verdict_of_b verdict_on(struct timing ratio, double cards);

/* Returns whether the point's time is meaningless because its result is wrong. An unordered variant's time
 * keeps its meaning even then: it is the time that the variant takes without the order. */
bool was_wrong(const cJSON *point);

/* Returns whether the comma-separated list `only` names the variant or the result (without its sweep), or is
 * NULL. */
bool is_chosen(const char *only, const char *result, const char *variant);

struct match compare_points(const struct pair *pair, const cJSON *x, const cJSON *y);

/* Compares all points that the results of both devices have. If the times are in different units, says so in
 * `file` and returns false. */
bool match_points(struct pair *pair, FILE *file);

void add_to_mean(struct mean *mean, struct timing ratio);
struct timing mean_of(const struct mean *mean);

/* Returns the lines of the summary, one for each question; the caller frees them. */
struct summary_line *summary_of(const struct pair *pairs, size_t count, size_t *lines_count);

/* ---- report/fleet.c: three folders of results and more ---- */

/* The time of one point of one card, in microseconds. `size` is 0 if it counts repetitions only. */
struct record {
    const char *result, *variant;
    double size, threads, blocks, us;
    size_t card;
};

/* One number: the times of all cards that have it; their median and spread in microseconds. `deviation` is
 * the scaled median absolute deviation. */
struct fleet_number {
    const struct record *records;
    size_t count;
    double median, low_quartile, high_quartile, min, max, deviation;
};

/* Returns whether this time makes its card an outlier in the number. */
bool is_outside(const struct fleet_number *number, double us);

/*
 * Compares each card (a folder of results) with all cards of its model (the device's name in the results). A
 * number is the compared time (report/results.h) of one point: of a result, variant, size, threads and
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
