/* The commands of build/report. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "report/table.h"

/* status that the function `run` of a command returns if the command does not take these words as
 * arguments */
#define WRONG_USE (-1)

struct command {
    const char *name, *arguments;
    /* Runs the command with the words after its name; returns an exit status or WRONG_USE. */
    int (*run)(int count, char **words, FILE *file);
    const char *help;
};

/* The list of commands that serve a single paper or program (report/papers/commands.c). */
extern const struct command paper_commands[];
extern const size_t paper_commands_count;

#endif
