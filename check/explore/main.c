/*
 * The main() of gpusync-check, with which scripts/gpusync-check links the user's program. It runs the program
 * again and again, each time under another schedule and another memory mode, and prints what went wrong in
 * any of the runs.
 */
#include "base/failure.h"
#include "base/file.h"
#include "check/explore/findings.h"
#include "check/explore/hang.h"
#include "check/explore/runs.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    unsigned runs;  /* number of runs to make, from --runs */
    unsigned only;  /* the number of the only run to be made, from 1; 0 means all runs */
    double seconds; /* the time from the start, in seconds, after which no run begins */
    bool hang, exhaustive;
    struct limits limits;
    const char *file; /* the CUDA file, for messages */
    /* path of the file to which the findings are written; NULL means that none is written */
    const char *json;
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
        {"file", required_argument, NULL, 'f'},         {"hang", no_argument, NULL, 'h'},
        {"exhaustive", no_argument, NULL, 'x'},         {NULL, 0, NULL, 0}};
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
        case 'h':
            plan->hang = true;
            break;
        case 'x':
            plan->exhaustive = true;
            break;
        default:
            exit(EXIT_BAD_INPUT);
        }
}

/* Returns the setting of the run with this number. Run 0 has the plain schedule, in which warps take turns,
 * because it counts the program's steps. All other runs have other schedules. Every fourth run has coherent
 * memory. */
static struct setting setting_of(unsigned number, unsigned long long steps)
{
    static const enum machine_memory memories[] = {MACHINE_COHERENT, MACHINE_ANY, MACHINE_OLDEST, MACHINE_L1};
    static const enum machine_schedule schedules[] = {MACHINE_RANDOM, MACHINE_ADVERSARIAL, MACHINE_DELAYS};
    if (number == 0)
        return (struct setting){.memory = MACHINE_COHERENT, .schedule = MACHINE_ROUND_ROBIN};
    return (struct setting){.number = number,
                            .memory = memories[number % 4],
                            .schedule = schedules[number / 4 % 3],
                            .delays = 1 + number / 12 % 3,
                            .slow_fences = number / 4 % 2 == 1,
                            .steps = steps};
}

/* No run begins after this number of runs hung or exceeded the limit of time, since such runs take long. */
#define ENOUGH 20

/* A check while its runs are made: what it has to do, what it has found, and its next run. */
struct check {
    const struct plan *plan;
    struct findings *findings;
    unsigned next; /* the number of the run that begins next */
};

static void add(struct check *check, const struct setting *setting, const struct run_outcome *outcome)
{
    if (setting->number == 0) {
        check->findings->steps = outcome->steps;
        check->findings->starts = outcome->starts;
    }
    if (setting->number != 0 || check->plan->only <= 1)
        findings_add(check->findings, setting, outcome);
}

/* ---- functions that give the setting of the next run, or return false if there is none ---- */

static bool first_run(struct check *check, struct setting *setting)
{
    if (check->next)
        return false;
    *setting = setting_of(check->next++, 0);
    return true;
}

static bool next_drawn(struct check *check, struct setting *setting)
{
    unsigned end = check->plan->only ? check->plan->only : check->plan->runs;
    if (check->next >= end || findings_bad_ends(check->findings) >= ENOUGH)
        return false;
    *setting = setting_of(check->next++, check->findings->steps);
    return true;
}

/* The memory modes of an exhaustive check. Under each mode the check delays every step of the plain schedule,
 * and the beginning of every warp; each run has one such delay. */
static const enum machine_memory every_memory[] = {MACHINE_COHERENT, MACHINE_OLDEST};
#define EVERY_MEMORY 2

static unsigned long long delays_of(const struct findings *findings)
{
    return EVERY_MEMORY * (findings->steps + findings->starts);
}

static bool next_delay(struct check *check, struct setting *setting)
{
    unsigned nth = check->next - 1;
    unsigned long long steps = check->findings->steps, place = nth / EVERY_MEMORY + 1;
    if (nth >= delays_of(check->findings) || findings_bad_ends(check->findings) >= ENOUGH)
        return false;
    *setting = (struct setting){.number = check->next++,
                                .memory = every_memory[nth % EVERY_MEMORY],
                                .schedule = MACHINE_ROUND_ROBIN,
                                .held_step = place <= steps ? place : 0,
                                .held_warp = place > steps ? place - steps : 0,
                                .steps = steps};
    return true;
}

/* ---- all runs ---- */

/* Makes a run for each setting that the function `next` gives, until `next` gives none. Returns false if the
 * time was up before that. */
static bool make_runs(struct runs *runs, struct check *check,
                      bool (*next)(struct check *check, struct setting *setting))
{
    struct setting setting;
    struct run_outcome outcome;
    for (bool has_more = true;;) {
        while (has_more && runs_have_room(runs)) {
            has_more = next(check, &setting);
            if (has_more)
                runs_start(runs, setting);
        }
        if (!runs_wait(runs, &setting, &outcome))
            return !has_more;
        add(check, &setting, &outcome);
    }
}

/* Makes all runs of the check. It waits for the first run before it starts the others, since their settings
 * depend on the first run's number of steps. */
static void run_all(const struct plan *plan, struct findings *findings, int argc, char **argv)
{
    struct check check = {plan, findings, 0};
    double begun = seconds_now();
    struct runs runs = runs_begin(plan->limits, plan->seconds, argc, argv);
    make_runs(&runs, &check, first_run);
    check.next = plan->only > 1 ? plan->only - 1 : 1;
    bool finished = make_runs(&runs, &check, plan->exhaustive ? next_delay : next_drawn);
    runs_end(&runs);
    findings->seconds = seconds_now() - begun;
    if (plan->exhaustive) {
        findings->delays = delays_of(findings);
        findings->is_whole = finished && check.next > findings->delays;
    }
}

int main(int argc, char **argv)
{
    struct plan plan = {.runs = 200, .seconds = 60, .limits = {20, (size_t)4 << 30}, .file = "the program"};
    set_program_name("gpusync-check");
    read_options(&plan, argc, argv);
    if (plan.json)
        file_check_target("json", plan.json, true, NULL);
    struct findings findings = {.file = plan.file, .limits = plan.limits};
    /* leaves only the program's arguments, which come after the options */
    argc -= optind - 1;
    argv[optind - 1] = argv[0];
    argv += optind - 1;
    machine_show_callers(true);
    machine_collect_races(true, true); /* begins to collect data races; runs_wait() adds those of each run */
    run_all(&plan, &findings, argc, argv);
    if (plan.hang)
        findings.hang = hang_study(plan.limits, plan.seconds, argc, argv);
    findings_print(&findings, stdout);
    if (plan.json)
        findings_write(&findings, plan.json);
    finish_output();
    return findings_status(&findings);
}
