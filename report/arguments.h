/* Reads the words after a command's name: its options, and its arguments, which are all other words. */
#ifndef REPORT_ARGUMENTS_H
#define REPORT_ARGUMENTS_H

#include "report/table.h"
#include "report/unit.h"

/* The options of commands; a command's set of options is a sum of these numbers. */
enum option {
    OPTION_FORMAT = 1,
    OPTION_UNIT = 2,
    OPTION_BLOCKS = 4,
    OPTION_THREADS = 8,
    OPTION_ALL = 16,
    OPTION_POINTS = 32,
    OPTION_ONLY = 64,
    OPTION_FAIL_SLOWER = 128,
    OPTION_CHECK = 256,
};

struct arguments {
    char **words; /* the words that are no options and no options' values */
    int count;
    enum form form;
    bool in_unit; /* --unit was given; without it `unit` is UNIT_US */
    enum unit unit;
    double blocks, threads; /* -1 without the option */
    double fail_slower;     /* the share that is allowed, such as 0.05; NaN without the option */
    const char *only;       /* a comma-separated list of names, or NULL */
    bool all, points, check;
};

/* Reads the words. An option is written --NAME VALUE or --NAME=VALUE, and stands anywhere; after -- there are
 * none. Exits with EXIT_BAD_INPUT if an option is not in the set `accepted`, which belongs to `command`, or
 * lacks its value or has a wrong one. `words` is changed: the words that are no options move to its begin. */
struct arguments arguments_read(const char *command, unsigned accepted, int count, char **words);

/* Takes the word number `place`, the name of a form, out of the words, if there are so many words. */
void arguments_take_form(struct arguments *arguments, int place);

/* Takes the last word out of the words if it is the name of a form, there are others, and no folder has this
 * name. */
void arguments_take_last_form(struct arguments *arguments);

/* Prints a line or more for each option of the set, for --help. */
void arguments_help(unsigned accepted, FILE *file);

#endif
