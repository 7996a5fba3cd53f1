/* The commands of build/report. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "report/arguments.h"

/* status that the function `run` of a command returns if the command does not take these words as
 * arguments */
#define WRONG_USE (-1)

struct command {
    const char *name, *arguments;
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
