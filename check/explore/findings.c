#include "check/explore/findings.h"
#include "base/failure.h"
#include "base/file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const char *const memory_names[] = {"coherent", "l1", "oldest", "random"};
static const char *const schedule_names[] = {"in turn", "random", "adversarial", "delays"};

/* ---- adding ---- */

/* Adds a run to the finding for the way in which the run ended. Runs end in any order, so the finding keeps
 * the setting and the outcome of the run with the lowest number, whenever that run ended. */
static void add(struct finding *finding, const struct setting *setting, const struct run_outcome *outcome)
{
    if (finding->runs++ && finding->setting.number < setting->number)
        return;
    finding->setting = *setting;
    finding->outcome = *outcome;
}

void findings_add(struct findings *findings, const struct setting *setting, const struct run_outcome *outcome)
{
    findings->runs++;
    findings->of_memory[setting->memory]++;
    findings->of_schedule[setting->schedule]++;
    switch (outcome->end) {
    case RUN_ENDED:
        if (outcome->status)
            add(&findings->wrong, setting, outcome);
        if (*outcome->text)
            add(&findings->unasked, setting, outcome);
        break;
    case RUN_HUNG:
        add(&findings->hung, setting, outcome);
        break;
    case RUN_FAULTED:
        add(&findings->faulted, setting, outcome);
        break;
    case RUN_CRASHED:
        add(&findings->crashed, setting, outcome);
        break;
    case RUN_TOO_LONG:
        add(&findings->too_long, setting, outcome);
        break;
    case RUN_TOO_LARGE:
        add(&findings->too_large, setting, outcome);
        break;
    case RUN_BROKE_RULE: /* the rule has a report of its own */
        break;
    case RUN_UNCHECKED:
        findings->unchecked++;
        break;
    }
}

unsigned findings_bad_ends(const struct findings *f)
{
    return f->hung.runs + f->too_long.runs + f->too_large.runs;
}

/* A program that starts no warp in its first run launches no kernel in any run, because all runs have the
 * same arguments. */
static bool launched_nothing(const struct findings *f)
{
    return f->starts == 0;
}

static bool has_hung(const struct findings *f)
{
    return f->hung.runs || f->hang.of[MACHINE_FAIR].hung;
}

bool findings_are_there(const struct findings *f)
{
    return has_hung(f) || f->wrong.runs || f->faulted.runs || f->crashed.runs || f->unasked.runs ||
           machine_races() > machine_race_notes() || machine_rules();
}

int findings_status(const struct findings *f)
{
    if (has_hung(f))
        return EXIT_DEADLOCK;
    if (findings_are_there(f))
        return EXIT_WRONG_RESULT;
    if (f->too_long.runs || f->too_large.runs || f->coverage.few)
        return EXIT_UNFINISHED;
    return launched_nothing(f) ? EXIT_BAD_INPUT : EXIT_VERIFIED;
}

static const char *verdict_of(const struct findings *f)
{
    switch (findings_status(f)) {
    case EXIT_VERIFIED:
        return "nothing is wrong with it that these runs could find";
    case EXIT_UNFINISHED:
        return "not finished, so there is no verdict";
    case EXIT_BAD_INPUT:
        return "no kernel was launched, so nothing was checked";
    default:
        return "it is not right";
    }
}

/* ---- printing ---- */

/* The kinds of findings, in the order in which they are printed. */
#define KINDS 5
struct kind {
    const char *name;
    const struct finding *finding;
    char what[160]; /* the finding in words; "" means that the outcome's text says it */
};

static void list_kinds(const struct findings *f, struct kind kinds[KINDS])
{
    const struct kind all[KINDS] = {{"outside", &f->faulted, ""},
                                    {"hang", &f->hung, ""},
                                    {"crash", &f->crashed, ""},
                                    {"wrong", &f->wrong, ""},
                                    {"launch", &f->unasked, ""}};
    memcpy(kinds, all, sizeof all);
    snprintf(kinds[2].what, sizeof kinds[2].what, "ended by signal %d (%s)", f->crashed.outcome.status,
             strsignal(f->crashed.outcome.status));
    snprintf(kinds[3].what, sizeof kinds[3].what, "the program ended with status %d",
             f->wrong.outcome.status);
}

static const char *what_of(const struct kind *kind)
{
    return *kind->what ? kind->what : kind->finding->outcome.text;
}

static void print_setting(const struct setting *setting, FILE *file)
{
    fprintf(file, "run %u: memory %s, schedule %s", setting->number + 1, memory_names[setting->memory],
            schedule_names[setting->schedule]);
}

static void print_race(size_t number, FILE *file)
{
    struct machine_race r;
    machine_describe_race(number, &r);
    fprintf(file, "%s: %s at %s %s %s, which %s %s at %s; %s (%llu times, first in run %u)\n",
            r.is_note ? "note" : "race", r.second, r.second_line, r.second_does, r.place, r.first,
            r.first_did, r.first_line, r.nothing, r.times, r.run);
    fprintf(file, "    mend: %s\n", r.mend);
}

static void print_rule(size_t number, FILE *file)
{
    struct machine_rule rule = machine_describe_rule(number);
    fprintf(file, "%s: %s (%llu times, first in run %u)\n", rule.kind, rule.text, rule.times, rule.run);
}

static void print_finding(const struct findings *f, const struct kind *kind, FILE *file)
{
    const struct finding *finding = kind->finding;
    if (!finding->runs)
        return;
    fprintf(file, "%s: %s (%u of %u runs, first in ", kind->name, what_of(kind), finding->runs, f->runs);
    print_setting(&finding->setting, file);
    fputs(")\n", file);
    if (*finding->outcome.said)
        fprintf(file, "    it said: %s\n", finding->outcome.said);
}

static void print_runs(const struct findings *f, FILE *file)
{
    fprintf(file, "gpusync-check: %s: %u runs in %.1f s; memory", f->file, f->runs, f->seconds);
    for (int m = 0; m < 4; m++)
        fprintf(file, " %s %u%s", memory_names[m], f->of_memory[m], m < 3 ? "," : "; schedule");
    for (int s = 0; s < 4; s++)
        fprintf(file, " %s %u%s", schedule_names[s], f->of_schedule[s], s < 3 ? "," : "");
    fprintf(file, " (1 to 3 among %llu steps)\n", f->steps);
}

static void print_unfinished(const struct findings *f, FILE *file)
{
    static const char smaller[] = "fewer blocks, threads or elements make it smaller";
    const struct run_outcome *late = &f->too_long.outcome;
    if (f->too_long.runs)
        fprintf(
            file,
            "not finished: %u of %u runs did not end within %g s (first run %u, after %llu steps%s%s); %s, "
            "and --timeout gives a run more time\n",
            f->too_long.runs, f->runs, f->limits.seconds_of_run, f->too_long.setting.number + 1, late->steps,
            *late->text ? ": " : "", late->text, smaller);
    if (f->too_large.runs)
        fprintf(file,
                "not finished: %u of %u runs took more memory than %zu MiB (first run %u); %s, and "
                "--memory-limit gives a run more memory\n",
                f->too_large.runs, f->runs, f->limits.memory_bytes >> 20, f->too_large.setting.number + 1,
                smaller);
    if (f->coverage.few)
        fprintf(
            file,
            "not finished: only %u runs of %.1f s each fitted into %.0f s, and a verdict needs %u; %s, and "
            "--seconds gives more time\n",
            f->runs, f->coverage.run_seconds, f->seconds, COMBINATIONS, smaller);
}

void findings_print(const struct findings *f, FILE *file)
{
    struct kind kinds[KINDS];
    list_kinds(f, kinds);
    print_runs(f, file);
    for (size_t i = 0; i < machine_rules(); i++)
        print_rule(i, file);
    for (size_t i = 0; i < machine_races(); i++)
        print_race(i, file);
    if (f->unchecked)
        fprintf(
            file,
            "not checked: %u runs with weak memory, since kernels of several streams wait for each other\n",
            f->unchecked);
    for (int k = 0; k < KINDS; k++)
        print_finding(f, &kinds[k], file);
    print_unfinished(f, file);
    if (f->hang.is_there)
        hang_print(&f->hang);
    coverage_print(&f->coverage, f->steps, file);
    fprintf(file, "gpusync-check: %s\n", verdict_of(f));
}

/* ---- JSON ---- */

static cJSON *json_of_race(size_t number)
{
    struct machine_race r;
    machine_describe_race(number, &r);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddBoolToObject(json, "note", r.is_note);
    cJSON_AddStringToObject(json, "first", r.first_line);
    cJSON_AddStringToObject(json, "first_is", r.first);
    cJSON_AddStringToObject(json, "second_is", r.second);
    cJSON_AddStringToObject(json, "did", r.first_did);
    cJSON_AddNumberToObject(json, "first_block", r.first_block);
    cJSON_AddNumberToObject(json, "first_thread", r.first_thread);
    cJSON_AddStringToObject(json, "second", r.second_line);
    cJSON_AddStringToObject(json, "does", r.second_does);
    cJSON_AddNumberToObject(json, "second_block", r.second_block);
    cJSON_AddNumberToObject(json, "second_thread", r.second_thread);
    cJSON_AddStringToObject(json, "place", r.place);
    cJSON_AddStringToObject(json, "mend", r.mend);
    cJSON_AddNumberToObject(json, "times", (double)r.times);
    cJSON_AddNumberToObject(json, "first_run", r.run);
    return json;
}

static cJSON *json_of_rule(size_t number)
{
    struct machine_rule rule = machine_describe_rule(number);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", rule.kind);
    cJSON_AddStringToObject(json, "what", rule.text);
    cJSON_AddNumberToObject(json, "times", (double)rule.times);
    cJSON_AddNumberToObject(json, "first_run", rule.run);
    return json;
}

static cJSON *json_of_finding(const struct kind *kind)
{
    const struct finding *finding = kind->finding;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "what", what_of(kind));
    cJSON_AddNumberToObject(json, "runs", finding->runs);
    cJSON_AddNumberToObject(json, "first_run", finding->setting.number + 1);
    cJSON_AddStringToObject(json, "memory", memory_names[finding->setting.memory]);
    cJSON_AddStringToObject(json, "schedule", schedule_names[finding->setting.schedule]);
    cJSON_AddStringToObject(json, "said", finding->outcome.said);
    return json;
}

void findings_write(const struct findings *f, const char *path)
{
    struct kind kinds[KINDS];
    list_kinds(f, kinds);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "schema", "gpusync-check/1");
    cJSON_AddStringToObject(json, "file", f->file);
    cJSON_AddNumberToObject(json, "runs", f->runs);
    cJSON_AddNumberToObject(json, "unchecked", f->unchecked);
    cJSON_AddNumberToObject(json, "seconds", f->seconds);
    cJSON_AddNumberToObject(json, "steps", (double)f->steps);
    cJSON_AddNumberToObject(json, "status", findings_status(f));
    cJSON *races = cJSON_AddArrayToObject(json, "races");
    for (size_t i = 0; i < machine_races(); i++)
        cJSON_AddItemToArray(races, json_of_race(i));
    cJSON *rules = cJSON_AddArrayToObject(json, "rules");
    for (size_t i = 0; i < machine_rules(); i++)
        cJSON_AddItemToArray(rules, json_of_rule(i));
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].finding->runs)
            cJSON_AddItemToObject(json, kinds[k].name, json_of_finding(&kinds[k]));
    cJSON_AddItemToObject(json, "covered", coverage_json(&f->coverage));
    cJSON_AddNumberToObject(json, "too_long", f->too_long.runs);
    cJSON_AddNumberToObject(json, "too_large", f->too_large.runs);
    if (f->hang.is_there)
        cJSON_AddItemToObject(json, "progress", hang_json(&f->hang));
    char *text = cJSON_Print(json);
    if (!text)
        fail(EXIT_CANNOT, "out of memory");
    struct new_file file = file_begin(path);
    fprintf(file.file, "%s\n", text);
    file_finish(&file);
    free(text);
    cJSON_Delete(json);
}
