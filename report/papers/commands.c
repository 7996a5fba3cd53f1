/* The commands of build/report that serve one program or one paper. */
#include "report/command.h"
#include "base/failure.h"
#include "report/devices.h"
#include "report/papers/cost.h"
#include "report/papers/outcome.h"
#include "report/papers/published.h"
#include "report/papers/study_collect.h"
#include "report/results.h"

#include <stdio.h>

static int run_cost(struct arguments *a, FILE *file)
{
    if (a->count == 2 && is_form(a->words[1]))
        arguments_take_form(a, 1);
    if (a->count != 1)
        return WRONG_USE;
    const char *folder = device_folder(a->words[0]);
    check_folder(folder);
    print_cost(folder, a, file);
    return EXIT_VERIFIED;
}

static int run_study(struct arguments *a, FILE *file)
{
    (void)file;
    if (a->count != 2)
        return WRONG_USE;
    study_collect(a->words[0], a->words[1]);
    return EXIT_VERIFIED;
}

static int run_outcome(struct arguments *a, FILE *file)
{
    if (a->count < 2)
        return WRONG_USE;
    device_folders(a->count - 1, a->words + 1);
    print_outcome(a->words[0], a->words + 1, (size_t)a->count - 1, file);
    return EXIT_VERIFIED;
}

static int run_published(struct arguments *a, FILE *file)
{
    arguments_take_form(a, 0);
    if (a->count)
        return WRONG_USE;
    print_published(a->form, file);
    return EXIT_VERIFIED;
}

const struct command paper_commands[] = {
    {"cost", "DEVICE", OPTION_FORMAT + OPTION_UNIT + OPTION_BLOCKS + OPTION_THREADS, run_cost,
     "the time of each barrier and hop; between two measured numbers of blocks it is interpolated", NULL},
    {"outcome", "PAPER/FIGURE FOLDER...", 0, run_outcome,
     "what a paper says, what came out on each device, and how many of the claims hold", NULL},
    {"published", "", OPTION_FORMAT, run_published,
     "times that others published of GPUs, beside what the memory machine predicts", NULL},
    {"study", "WORK FOLDER", 0, run_study, "a study of the abstract machines, from the runs in WORK", NULL},
};
const size_t paper_commands_count = sizeof paper_commands / sizeof *paper_commands;
