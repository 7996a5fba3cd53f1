/* The commands of build/report that serve one program or one paper. */
#include "report/command.h"
#include "base/failure.h"
#include "base/text.h"
#include "report/papers/cost.h"
#include "report/papers/outcome.h"
#include "report/papers/study_collect.h"
#include "report/results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the folder of results for a command's argument, which is a folder itself or the name of a device's
 * folder in results/ or results/reference/. */
static const char *folder_of(const char *device)
{
    static char path[512];
    static const char *const parents[] = {"", "results/", "results/reference/"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        snprintf(path, sizeof path, "%s%s", parents[i], device);
        if (access(path, F_OK) == 0)
            return path;
    }
    return device;
}

/* Runs the command that prints the table `cost`. Without a number of blocks or of threads among the words,
 * that number is -1. */
static int run_cost(int count, char **words, FILE *file)
{
    long long blocks = -1, threads = -1;
    enum form form = FORM_TEXT;
    if (count < 1)
        return WRONG_USE;
    for (int i = 1; i < count; i++) {
        bool of_blocks = strcmp(words[i], "--blocks") == 0;
        if (of_blocks || strcmp(words[i], "--threads") == 0) {
            if (i + 1 == count || !parse_whole(words[i + 1], 1, 1000000, of_blocks ? &blocks : &threads))
                return WRONG_USE;
            i++;
        } else if (words[i][0] == '-') {
            return WRONG_USE;
        } else {
            form = form_of(words[i]);
        }
    }
    const char *folder = folder_of(words[0]);
    check_folder(folder);
    print_cost(folder, (double)blocks, (double)threads, form, file);
    return EXIT_VERIFIED;
}

static int run_study(int count, char **words, FILE *file)
{
    (void)file;
    if (count != 2)
        return WRONG_USE;
    study_collect(words[0], words[1]);
    return EXIT_VERIFIED;
}

static int run_outcome(int count, char **words, FILE *file)
{
    if (count < 2)
        return WRONG_USE;
    print_outcome(words[0], words + 1, (size_t)count - 1, file);
    return EXIT_VERIFIED;
}

const struct command paper_commands[] = {
    {"cost", "DEVICE [FORM] [--blocks N] [--threads T]", run_cost,
     "the time of each barrier and hop in microseconds; without N, with a block on every multiprocessor"},
    {"outcome", "CLAIM,... FOLDER...", run_outcome,
     "what a paper says, what came out on each device, and how many of the claims hold"},
    {"study", "WORK FOLDER", run_study, "a study of the abstract machines, from the runs in WORK"},
};
const size_t paper_commands_count = sizeof paper_commands / sizeof *paper_commands;
