/*
 * Linked with a checked program (scripts/gpusync-check): runs it again and again, under other schedules and memories each
 * time, and tells what went wrong in any of them.
 */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "check/explore/batch.h"
#include "check/explore/hang.h"
#include "check/explore/predict.h"
#include "check/explore/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    unsigned runs, only; /* only: that run alone, counted from 1; 0: all */
    double seconds;      /* no run begins later */
    bool hang, exhaustive;
    struct limits limits;
    const char *json, *file, *predict_for; /* a device: that alone, and no check */
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
    static const struct option options[] = {{"runs", required_argument, NULL, 'r'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"timeout", required_argument, NULL, 't'},
                                            {"memory-limit", required_argument, NULL, 'm'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"file", required_argument, NULL, 'f'},
                                            {"hang", no_argument, NULL, 'h'},
                                            {"predict", required_argument, NULL, 'p'},
                                            {"exhaustive", no_argument, NULL, 'x'},
                                            {NULL, 0, NULL, 0}};
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
        case 'p':
            plan->predict_for = optarg;
            break;
        case 'x':
            plan->exhaustive = true;
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
    return (struct setting){.number = number,
                            .memory = memories[number % 4],
                            .schedule = schedules[number / 4 % 3],
                            .delays = 1 + number / 12 % 3,
                            .slow_fences = number / 4 % 2 == 1,
                            .steps = steps};
}

#define ENOUGH 20 /* runs that hang, or end too late: more of them say no more, and each takes long */

/* A check under way: which run is next, and what was found. */
struct check {
    const struct plan *plan;
    struct findings *findings;
    unsigned next;
};

static void add(void *owner, const struct checked_run *run, const struct outcome *outcome)
{
    struct check *check = owner;
    if (run->setting.number == 0) {
        check->findings->steps = outcome->steps;
        check->findings->starts = outcome->starts;
    }
    if (run->setting.number != 0 || check->plan->only <= 1)
        findings_add(check->findings, run, outcome);
}

static bool next_drawn(void *owner, struct setting *setting)
{
    struct check *check = owner;
    unsigned end = check->plan->only ? check->plan->only : check->plan->runs;
    if (check->next >= end || findings_bad_ends(check->findings) >= ENOUGH)
        return false;
    *setting = setting_of(check->next++, check->findings->steps);
    return true;
}

/* Each step of the plain schedule held back, and each warp's begin, once with each of these memories. */
static const enum machine_memory every_memory[] = {MACHINE_COHERENT, MACHINE_OLDEST};
#define EVERY_MEMORY 2

static unsigned long long delays_of(const struct findings *findings)
{
    return EVERY_MEMORY * (findings->steps + findings->starts);
}

static bool next_delay(void *owner, struct setting *setting)
{
    struct check *check = owner;
    unsigned nth = check->next - 1;
    if (nth >= delays_of(check->findings) || findings_bad_ends(check->findings) >= ENOUGH)
        return false;
    *setting = (struct setting){.number = check->next++,
                                .memory = every_memory[nth % EVERY_MEMORY],
                                .schedule = MACHINE_ROUND_ROBIN,
                                .held_step = 1 + nth / EVERY_MEMORY,
                                .steps = check->findings->steps};
    return true;
}

static bool first_alone(void *owner, struct setting *setting)
{
    struct check *check = owner;
    if (check->next)
        return false;
    *setting = setting_of(check->next++, 0);
    return true;
}

/* The first run alone, since the others need its number of steps. */
static void run_all(const struct plan *plan, struct findings *findings, int argc, char **argv)
{
    struct check check = {plan, findings, 0};
    double begun = seconds_now();
    struct batch batch = {plan->limits, begun + plan->seconds, argc, argv, &check, first_alone, add};
    batch_run(&batch);
    check.next = plan->only > 1 ? plan->only - 1 : 1;
    batch.next = plan->exhaustive ? next_delay : next_drawn;
    bool finished = batch_run(&batch);
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
    argc -= optind - 1;
    argv[optind - 1] = argv[0];
    argv += optind - 1;
    if (plan.predict_for)
        return predict(plan.predict_for, argc, argv);
    machine_show_callers(true);
    machine_collect_races(true, true); /* those that the runs find */
    run_all(&plan, &findings, argc, argv);
    if (plan.hang)
        findings.hang = hang_study(plan.limits, plan.seconds, argc, argv);
    findings_print(&findings, stdout);
    if (plan.json)
        findings_write(&findings, plan.json);
    finish_output();
    return findings_status(&findings);
}
