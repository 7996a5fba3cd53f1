/* Reads the words after a command's name: its options, and its arguments, which are all other words. */
#ifndef REPORT_ARGUMENTS_H
#define REPORT_ARGUMENTS_H

#include "report/table.h"
#include "report/value.h"

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
    char **words; /* the words that are neither options nor values of options */
    int count;
    enum form form;
    bool in_unit; /* whether --unit was given; otherwise `unit` is UNIT_US */
    enum unit unit;
    double blocks, threads; /* values of --blocks and --threads; -1 if the option is not given */
    /* the slowdown that --fail-slower allows, as a share such as 0.05; NaN if the option is not given */
    double fail_slower;
    const char *only; /* the comma-separated list of names after --only, or NULL */
    bool all, points, check;
};

/* Reads the words. An option is written --NAME VALUE or --NAME=VALUE and may stand anywhere before a word
 * "--". Exits with EXIT_BAD_INPUT if an option is not in the set `accepted`, the options of `command`, or if
 * its value is missing or wrong. Moves the words that are not options to the beginning of `words`. */
struct arguments arguments_read(const char *command, unsigned accepted, int count, char **words);

/* If there is a word number `place`, reads it as the name of a form, and removes it from the words. */
void arguments_take_form(struct arguments *arguments, int place);

/* If the last word is the name of a form, there are other words, and no folder has this name, reads the word
 * as the form and removes it from the words. */
void arguments_take_last_form(struct arguments *arguments);

/* Prints the options of the set for --help, each in one or more lines. */
void arguments_help(unsigned accepted, FILE *file);

/* ---- commands ---- */

/* status that the function `run` of a command returns if the command does not take these words as
 * arguments */
#define WRONG_USE (-1)

/* The meaning of a command's words. FORM_FIRST, FORM_SECOND: this word may name a form. FORM_LAST: a word
 * after the arguments must name one. DEVICES means that all other words name devices and are replaced by
 * their folders. DEVELOPERS means that only `help all` names the command. */
enum words { PLAIN = 0, FORM_FIRST = 1, FORM_SECOND = 2, FORM_LAST = 4, DEVICES = 8, DEVELOPERS = 16 };
#define ANY_NUMBER (-1)

struct command {
    const char *name, *arguments;
    int least, most;  /* number of words that it takes, not counting a form; `most` may be ANY_NUMBER */
    unsigned words;   /* a sum of numbers of enum words */
    unsigned options; /* a sum of numbers of enum option */
    /* Runs the command with the words after its name. Returns an exit status or WRONG_USE. */
    int (*run)(struct arguments *arguments, FILE *file);
    const char *help;
    const char *fails; /* what exit status 1 means, or NULL if the command never ends with it */
};

/* The list of commands that serve a single paper or program (report/papers/commands.c). */
extern const struct command paper_commands[];
extern const size_t paper_commands_count;

#endif
