/*
 * Linked with a checked program (scripts/gpusync-check): runs it again and again, under other schedules and memories each
 * time, and tells what went wrong in any of them.
 */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "check/explore/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plan {
    unsigned runs, only; /* only: that run alone, counted from 1; 0: all */
    double seconds;      /* no run begins later */
    struct limits limits;
    const char *json, *file;
};

static double number(const char *option, const char *text, double least)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= least))
        fail(EXIT_BAD_INPUT, "--%s needs a number of at least %g: %s", option, least, text);
    return value;
}

static void read_options(struct plan *plan, int argc, char **argv)
{
    static const struct option options[] = {
        {"runs", required_argument, NULL, 'r'},         {"only", required_argument, NULL, 'o'},
        {"seconds", required_argument, NULL, 's'},      {"timeout", required_argument, NULL, 't'},
        {"memory-limit", required_argument, NULL, 'm'}, {"json", required_argument, NULL, 'j'},
        {"file", required_argument, NULL, 'f'},         {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
        switch (option) {
        case 'r':
            plan->runs = (unsigned)number("runs", optarg, 1);
            break;
        case 'o':
            plan->only = (unsigned)number("only", optarg, 1);
            break;
        case 's':
            plan->seconds = number("seconds", optarg, 0.1);
            break;
        case 't':
            plan->limits.seconds_of_run = number("timeout", optarg, 0.1);
            break;
        case 'm':
            plan->limits.memory_bytes = (size_t)(number("memory-limit", optarg, 64) * 1048576);
            break;
        case 'j':
            plan->json = optarg;
            break;
        case 'f':
            plan->file = optarg;
            break;
        default:
            exit(EXIT_BAD_INPUT);
        }
}

/* Every fourth run has coherent memory; the first is the plainest that there is, and tells how many steps there are. */
static struct setting setting_of(unsigned number, unsigned long long steps)
{
    static const enum machine_memory memories[] = {MACHINE_COHERENT, MACHINE_ANY, MACHINE_OLDEST, MACHINE_L1};
    static const enum machine_schedule schedules[] = {MACHINE_RANDOM, MACHINE_ADVERSARIAL, MACHINE_DELAYS};
    if (number == 0)
        return (struct setting){.memory = MACHINE_COHERENT, .schedule = MACHINE_ROUND_ROBIN};
    return (struct setting){number, memories[number % 4], schedules[number / 4 % 3], 1 + number / 12 % 3,
                            steps};
}

/* Waits for one of the runs. */
static void finish_one(const struct plan *plan, struct findings *findings, struct checked_run *runs,
                       size_t count, bool counts)
{
    struct outcome outcome;
    struct checked_run *ended = process_wait(runs, count, &plan->limits, &outcome);
    if (ended->setting.number == 0)
        findings->steps = outcome.steps;
    if (counts)
        findings_add(findings, ended, &outcome);
    process_close(ended);
}

#define ENOUGH 20 /* runs that hang, or end too late: more of them say no more, and each takes long */

/* The first run alone, since the others need its number of steps; then as many at a time as there are processors. */
static void run_all(const struct plan *plan, struct findings *findings, int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors > 1 ? (size_t)processors : 1, under_way = 0;
    struct checked_run *runs = allocate(count * sizeof *runs);
    unsigned next = plan->only > 1 ? plan->only - 1 : 1, end = plan->only ? plan->only : plan->runs;
    double begun = seconds_now();
    process_start(&runs[0], setting_of(0, 0), argc, argv);
    finish_one(plan, findings, runs, count, plan->only <= 1);
    for (;; under_way--) {
        bool goes_on = seconds_now() - begun < plan->seconds && findings_bad_ends(findings) < ENOUGH;
        for (size_t i = 0; i < count && next < end && goes_on; i++)
            if (runs[i].process == 0) {
                process_start(&runs[i], setting_of(next++, findings->steps), argc, argv);
                under_way++;
            }
        if (!under_way)
            break;
        finish_one(plan, findings, runs, count, true);
    }
    findings->seconds = seconds_now() - begun;
    free(runs);
}

int main(int argc, char **argv)
{
    struct plan plan = {.runs = 200, .seconds = 60, .limits = {20, (size_t)4 << 30}, .file = "the program"};
    set_program_name("gpusync-check");
    read_options(&plan, argc, argv);
    if (plan.json)
        file_check_target("json", plan.json, true, NULL);
    struct findings findings = {.file = plan.file, .limits = plan.limits};
    argv[optind - 1] = argv[0];
    machine_collect_races(true, true); /* those that the runs find */
    run_all(&plan, &findings, argc - optind + 1, argv + optind - 1);
    findings_print(&findings, stdout);
    if (plan.json)
        findings_write(&findings, plan.json);
    finish_output();
    return findings_status(&findings);
}
