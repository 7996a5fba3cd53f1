/* One file because the text, the compilers' format and the JSON have the same parts of each report: a new
 * part is added to all three. */
#include "tools/check/explore/findings.h"
#include "base/failure.h"
#include "base/memory.h"
#include "tools/check/checked_program.h"
#include "tools/check/explore/reports.h"
#include "tools/check/explore/sarif.h"

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
    bool is_whole = !runs_have_gaps(&outcome->left_out);
    /* The status of a program whose calls were skipped only says why it launched nothing. */
    bool is_told = is_whole && (!outcome->left_out.skipped_count || !outcome->starts);
    findings->runs++;
    findings->of_memory[setting->memory]++;
    findings->of_schedule[setting->schedule]++;
    if (outcome->end == RUN_ENDED && *outcome->text)
        add(&findings->unasked, setting, outcome);
    bool is_of_program = outcome->end == RUN_ENDED || outcome->end == RUN_CRASHED;
    bool is_right = outcome->end == RUN_ENDED && !outcome->status;
    if (is_right && is_whole && *outcome->complaint && !outcome->left_out.skipped_count)
        add(&findings->complaint, setting, outcome);
    if (!is_right && (is_told || !is_of_program))
        add(&findings->of[outcome->end], setting, outcome);
}

unsigned findings_bad_ends(const struct findings *f)
{
    return f->of[RUN_HUNG].runs + f->of[RUN_TOO_LONG].runs + f->of[RUN_TOO_LARGE].runs;
}

/* A program that starts no warp in its first run launches no kernel in any run, because all runs have the
 * same arguments. */
static bool launched_nothing(const struct findings *f)
{
    return f->starts == 0;
}

static bool has_hung(const struct findings *f)
{
    return f->of[RUN_HUNG].runs || f->hang.of[MACHINE_FAIR].hung;
}

unsigned findings_ends(const struct findings *f)
{
    return (unsigned)has_hung(f) + (f->of[RUN_ENDED].runs > 0) + (f->of[RUN_FAULTED].runs > 0) +
           (f->of[RUN_CRASHED].runs > 0) + (f->unasked.runs > 0);
}

bool findings_are_there(const struct findings *f)
{
    return findings_ends(f) || machine_races() > machine_race_notes() || machine_rules();
}

/* Did the check choose to end blocks after some steps, and may one of them have waited for ever? Of a block
 * that was computing, the sample has a verdict. */
static bool is_cut(const struct findings *f)
{
    return f->chose_sample && f->left_out.cut_may_wait;
}

int findings_status(const struct findings *f)
{
    if (reports_of("hang") || f->hang.of[MACHINE_FAIR].hung)
        return EXIT_DEADLOCK;
    if (reports_of(NULL))
        return EXIT_WRONG_RESULT;
    bool is_limited = f->of[RUN_TOO_LONG].runs || f->of[RUN_TOO_LARGE].runs;
    if ((is_limited || f->coverage.few || is_cut(f)) && !f->lacks_kernels)
        return EXIT_UNFINISHED;
    return launched_nothing(f) ? EXIT_BAD_INPUT : EXIT_VERIFIED;
}

static const char *verdict_of(const struct findings *f)
{
    switch (findings_status(f)) {
    case EXIT_VERIFIED:
        if (runs_are_samples(&f->left_out))
            return "nothing is wrong with the sample that these runs could find";
        return reports_suppressed() ? "nothing else is wrong with it that these runs could find"
                                    : "nothing is wrong with it that these runs could find";
    case EXIT_UNFINISHED:
        return "not finished, so there is no verdict";
    case EXIT_BAD_INPUT:
        return "no kernel was launched, so nothing was checked";
    default:
        return "it is not right";
    }
}

/* ---- reports ---- */

/* If the program requested no launch, its exit status says nothing about its kernels. A line of its output
 * makes only a note, because another line may explain it. */
static bool is_note(const struct findings *f, const struct finding *finding)
{
    return finding == &f->complaint ||
           (finding == &f->of[RUN_ENDED] && launched_nothing(f) && !*f->of[RUN_ENDED].outcome.where);
}

/* Adds the report of a finding. `what` describes the finding; if it is "", the outcome's text does. */
static void collect_kind(const struct findings *f, const char *kind, const struct finding *finding,
                         const char *what)
{
    char text[sizeof finding->outcome.text + sizeof finding->outcome.where + 8];
    if (!finding->runs)
        return;
    bool tells_where = *what && *finding->outcome.where && finding != &f->complaint;
    snprintf(text, sizeof text, "%s%s%s", *what ? what : finding->outcome.text, tells_where ? "; " : "",
             tells_where ? finding->outcome.where : "");
    struct report *report = reports_add(is_note(f, finding) ? "note" : kind, text);
    report->is_note = is_note(f, finding);
    report->times = report->runs = finding->runs;
    reports_note_consequence(report, f->runs);
    report->run = finding->setting.number + 1;
    report->setting = &finding->setting;
    report->mend = *finding->outcome.mend ? frames_expand(finding->outcome.mend, NULL, 0, NULL) : NULL;
    if (report->mend)
        reports_drop_allocations(report->mend);
    bool has_said = *finding->outcome.said && finding != &f->complaint;
    report->said = has_said ? frames_expand(finding->outcome.said, NULL, 0, NULL) : NULL;
}

void findings_collect(const struct findings *f)
{
    char crash[160], wrong[160], complaint[sizeof f->complaint.outcome.complaint + 64];
    snprintf(crash, sizeof crash, "ended by signal %d (%s)", f->of[RUN_CRASHED].outcome.status,
             strsignal(f->of[RUN_CRASHED].outcome.status));
    snprintf(wrong, sizeof wrong, "the program ended with status %d", f->of[RUN_ENDED].outcome.status);
    snprintf(complaint, sizeof complaint, "it said \"%s\" and ended with status 0",
             f->complaint.outcome.complaint);
    reports_collect(f->runs);
    collect_kind(f, "outside", &f->of[RUN_FAULTED], "");
    collect_kind(f, "hang", &f->of[RUN_HUNG], "");
    collect_kind(f, "crash", &f->of[RUN_CRASHED], crash);
    collect_kind(f, "wrong", &f->of[RUN_ENDED], wrong);
    collect_kind(f, "launch", &f->unasked, "");
    if (!launched_nothing(f))
        collect_kind(f, "note", &f->complaint, complaint);
    reports_suppress();
}

/* ---- printing ---- */

#define MOST_OTHERS 5 /* the largest number of other pairs of lines that a finding names in its text */

static bool names_two_lines(const struct report *r)
{
    return r->trail_count > 1 && !frames_are_same_line(r->trails[0], r->trails[1]);
}

/* Writes how often the report's mistake happened, and in which run it happened first. */
static void print_times(const struct findings *f, const struct report *r, FILE *file)
{
    if (r->setting)
        fprintf(file, " (%llu of %u runs, first in run %u: memory %s, schedule %s)", r->times, f->runs,
                r->run, memory_names[r->setting->memory], schedule_names[r->setting->schedule]);
    else if (r->more)
        fprintf(file, " (%llu times, first in run %u; with %u more of %s)", r->times, r->run, r->more,
                names_two_lines(r) ? "these two lines" : "this line");
    else
        fprintf(file, " (%llu times, first in run %u)", r->times, r->run);
}

/* Writes the number of the other pairs of lines for which the report is printed, and the first of them. */
static void print_others(size_t number, FILE *file)
{
    const struct report *finding = reports_at(number);
    unsigned told = 0;
    fprintf(file, "%zu more pair%s of lines:", finding->others, finding->others > 1 ? "s" : "");
    for (size_t i = 0; i < reports_count() && told < MOST_OTHERS; i++) {
        const struct report *r = reports_at(i);
        char second[512], first[512];
        if (i == number || r->finding != number)
            continue;
        frames_line(r->trails[0], second, sizeof second);
        frames_line(r->trails[1], first, sizeof first);
        bool is_same_place = strcmp(r->race->array, finding->race->array) == 0;
        char *array = frames_expand(is_same_place ? "" : r->race->array, NULL, 0, NULL);
        fprintf(file, "%s %s and %s%s%s%s", told++ ? "," : "", first, second, *array ? " (" : "", array,
                *array ? ")" : "");
        free(array);
    }
    fputs(finding->others > told ? ", ...\n" : "\n", file);
}

static void print_sample_options(const struct limits *limits, FILE *file)
{
    const struct machine_sample *s = &limits->sample;
    const unsigned numbers[] = {s->launches, s->blocks, s->launches_of_kernel, s->steps, limits->calls};
    static const char *const options[] = {"launches", "blocks", "kernel-launches", "steps", "calls"};
    for (int i = 0; i < 5; i++)
        if (numbers[i])
            fprintf(file, " --%s %u", options[i], numbers[i]);
}

/* Writes which options, added to those of this check, repeat the run that first had the report. */
static void print_schedule(const struct findings *f, const struct report *r, const char *begin, FILE *file)
{
    const struct short_schedule *s = r->schedule;
    char whole[16];
    if (r->is_note || (f->limits.kept && !s))
        return;
    snprintf(whole, sizeof whole, "%u", r->run);
    fprintf(file, "%sschedule: --only %s", begin, s ? s->only : whole);
    if (f->chose_sample)
        print_sample_options(&f->limits, file);
    if (!s) {
        fputs(" repeats this run\n", file);
        return;
    }
    fprintf(file, " makes %u of the %u departures of this run from the plain schedule", s->kept,
            s->departures);
    fputs(s->step_count ? ":\n" : "\n", file);
    for (unsigned i = 0; i < s->step_count; i++)
        fprintf(file, "%s  %u. %s\n", begin, i + 1, s->steps[i].what);
}

static void print_report(const struct findings *f, size_t number, FILE *file)
{
    const struct report *r = reports_at(number);
    fprintf(file, "%s: %s", r->kind, r->what);
    print_times(f, r, file);
    fputc('\n', file);
    if (r->others) {
        fputs("    also: ", file);
        print_others(number, file);
    }
    if (r->mend)
        fprintf(file, "    mend: %s\n", r->mend);
    print_schedule(f, r, "    ", file);
    if (r->said)
        fprintf(file, "    it said: %s\n", r->said);
}

static void print_note(const struct frame *frame, const char *text, FILE *file)
{
    fprintf(file, "%s:%u: note: %s\n", frame->source->path, frame->line, text);
}

/* Writes the calls that led to a line, in the format of a compiler. */
static void print_calls(const struct trail *trail, FILE *file)
{
    for (unsigned i = 0; i < trail->count; i++) {
        const struct frame *frame = &trail->frames[i];
        char text[128];
        if (frame->function)
            snprintf(text, sizeof text, "%s %s()", i < trail->named ? "in" : "called in",
                     frame->function->name);
        else
            snprintf(text, sizeof text, "%s here", i < trail->named ? "the instruction is" : "called");
        if (i != trail->named)
            print_note(frame, text, file);
    }
}

/* Writes a report in the format of a compiler's messages. */
static void print_as_compilers(const struct findings *f, size_t number, FILE *file)
{
    const struct report *r = reports_at(number);
    const struct frame *named = r->trail_count ? frames_named(r->trails[0]) : NULL;
    if (named)
        fprintf(file, "%s:%u: ", named->source->path, named->line);
    else
        fputs("gpusync-check: ", file);
    fprintf(file, "%s: %s: %s", r->is_note ? "warning" : "error", r->kind, r->what);
    print_times(f, r, file);
    fputc('\n', file);
    for (unsigned t = 0; t < r->trail_count; t++) {
        const struct frame *frame = frames_named(r->trails[t]);
        if (t && frame)
            print_note(frame, r->race ? "the earlier access" : "also here", file);
        print_calls(r->trails[t], file);
    }
    if (named && r->others) {
        fprintf(file, "%s:%u: note: also ", named->source->path, named->line);
        print_others(number, file);
    }
    if (named && r->mend)
        fprintf(file, "%s:%u: note: mend: %s\n", named->source->path, named->line, r->mend);
    print_schedule(f, r, "gpusync-check: note: ", file);
    if (r->said)
        fprintf(file, "gpusync-check: note: it said: %s\n", r->said);
}

/* Writes how many reports were suppressed, and which suppressions have suppressed nothing. */
static void print_suppressions(FILE *file)
{
    unsigned by_comments = 0, by_rules = 0;
    for (size_t i = 0; i < reports_count(); i++) {
        const struct suppression *by = reports_at(i)->suppressed_by;
        by_comments += by && by->is_comment;
        by_rules += by && !by->is_comment;
    }
    if (by_comments || by_rules)
        fprintf(file, "suppressed: %u finding%s (%u by comments, %u by --suppressions)\n",
                by_comments + by_rules, by_comments + by_rules > 1 ? "s" : "", by_comments, by_rules);
    for (size_t i = 0; i < suppressions_count(); i++)
        if (!suppressions_at(i)->used)
            fprintf(file, "unused: %s suppresses no finding (%s)\n", suppressions_at(i)->place,
                    suppressions_at(i)->kind);
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

#define SMALLER "fewer blocks, threads or elements make it smaller"

/* Writes how many runs exceeded a limit, how far the first of them came, and which option raises the
 * limit. */
static void print_exceeded(const struct findings *f, enum run_end end, const char *limit, const char *raises,
                           FILE *file)
{
    const struct run_outcome *first = &f->of[end].outcome;
    char *where = frames_expand(first->where, NULL, 0, NULL),
         *text = frames_expand(first->text, NULL, 0, NULL);
    if (f->of[end].runs)
        fprintf(file,
                "not finished: %u of %u runs %s (first run %u, after %llu steps%s%s)%s%s; " SMALLER
                ", and %s\n",
                f->of[end].runs, f->runs, limit, f->of[end].setting.number + 1, first->steps,
                *text ? ": " : "", text, *where ? "; " : "", where, raises);
    free(where);
    free(text);
}

static void print_unfinished(const struct findings *f, FILE *file)
{
    char limit[64];
    bool is_of_kernels = f->limits.seconds_of_kernels > 0 && f->starts;
    snprintf(limit, sizeof limit, "did not end within %g s%s",
             is_of_kernels ? f->limits.seconds_of_kernels : f->limits.seconds_of_run,
             is_of_kernels ? " after the first launch" : "");
    print_exceeded(f, RUN_TOO_LONG, limit,
                   f->lacks_seconds || is_of_kernels ? "--seconds gives a run more time"
                                                     : "--timeout gives a run more time",
                   file);
    snprintf(limit, sizeof limit, "took more memory than %zu MiB", f->limits.memory_bytes >> 20);
    print_exceeded(f, RUN_TOO_LARGE, limit, "--memory-limit gives a run more memory", file);
    if (is_cut(f)) {
        char *at = frames_expand(f->left_out.cut_at, NULL, 0, NULL);
        fprintf(file,
                "not finished: %s did not end within its time, so it was ended after %u steps of each warp, "
                "and may never end; " SMALLER ", and --seconds and --timeout give it more time\n",
                at, f->limits.sample.steps);
        free(at);
    }
    /* time was not what was lacking if runs took too much memory */
    if (f->coverage.few && findings_status(f) == EXIT_UNFINISHED && !f->of[RUN_TOO_LARGE].runs)
        fprintf(
            file,
            "not finished: only %u runs of %.1f s each fitted into %.0f s, and a verdict needs %u; " SMALLER
            ", and --seconds gives more time\n",
            f->runs, f->coverage.run_seconds, f->seconds, (unsigned)COMBINATIONS);
}

static void print_sample(const struct findings *f, FILE *file)
{
    const struct machine_left_out *out = &f->left_out;
    if (!runs_are_samples(&f->left_out))
        return;
    fprintf(file, "sample:%s", f->chose_sample ? " the whole is too large, so" : "");
    print_sample_options(&f->limits, file);
    if (out->launches || out->blocks || out->calls)
        fputs(" left out", file);
    if (out->launches)
        fprintf(file, " %llu of %llu launches%s", out->launches, out->of_launches,
                f->limits.sample.launches_of_kernel ? "" : " (alike in kernel, shape and arguments)");
    if (out->blocks)
        fprintf(file, "%s %llu of %llu blocks of large grids", out->launches ? " and" : "", out->blocks,
                out->of_blocks);
    char *end = frames_expand(out->end, NULL, 0, NULL), *host = frames_expand(f->host_end, NULL, 0, NULL);
    if (out->calls)
        fprintf(file, "%s what the host does after its call %llu of CUDA (%s)",
                runs_have_gaps(out) ? " and" : "", out->calls, host);
    char *cut = frames_expand(out->cut_at, NULL, 0, NULL);
    if (out->cut)
        fprintf(file,
                "; %llu blocks ended after their steps, such as %s, and what they had not done yet was not "
                "checked",
                out->cut, cut);
    free(cut);
    if (*end)
        fprintf(file, "; %llu threads ended where they read what these may have to write, the first at %s",
                out->threads, end);
    fputc('\n', file);
    free(end);
    free(host);
}

void findings_print(const struct findings *f, bool as_compilers, FILE *file)
{
    print_runs(f, file);
    for (size_t i = 0; i < reports_count(); i++)
        if (!reports_at(i)->suppressed_by && reports_at(i)->finding == i)
            (as_compilers ? print_as_compilers : print_report)(f, i, file);
    print_suppressions(file);
    print_unfinished(f, file);
    if (f->hang.is_there)
        hang_print(&f->hang);
    coverage_print(&f->coverage, f->steps, file);
    print_sample(f, file);
    checked_program_print_skipped(&f->left_out, "skipped: ", file);
    if (*f->unlaunched)
        fprintf(file, "not launched: %s (nothing is known of them)\n", f->unlaunched);
    fprintf(file, "gpusync-check: %s%s\n", verdict_of(f),
            findings_status(f) == EXIT_VERIFIED && f->coverage.is_out_of_time
                ? "; a larger --seconds makes more runs"
                : "");
}

/* ---- JSON ---- */

static void add_line(cJSON *json, const char *name, const struct trail *trail)
{
    char line[512];
    frames_line(trail, line, sizeof line);
    cJSON_AddStringToObject(json, name, line);
}

/* Adds the calls that led to an instruction, the innermost first. */
static void add_stack(cJSON *json, const char *name, const struct trail *trail)
{
    cJSON *stack = cJSON_AddArrayToObject(json, name);
    for (unsigned i = 0; i < trail->count; i++) {
        const struct frame *frame = &trail->frames[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "file", frame->source->path);
        cJSON_AddNumberToObject(one, "line", frame->line);
        cJSON_AddStringToObject(one, "function", frame->function ? frame->function->name : "");
        cJSON_AddBoolToObject(one, "own", frame->source->origin == SOURCE_OWN);
        cJSON_AddItemToArray(stack, one);
    }
}

static void add_schedule(cJSON *json, const struct short_schedule *s)
{
    if (!s)
        return;
    cJSON *schedule = cJSON_AddObjectToObject(json, "schedule");
    cJSON_AddStringToObject(schedule, "only", s->only);
    cJSON_AddNumberToObject(schedule, "kept", s->kept);
    cJSON_AddNumberToObject(schedule, "departures", s->departures);
    cJSON *steps = cJSON_AddArrayToObject(schedule, "steps");
    for (unsigned i = 0; i < s->step_count; i++) {
        cJSON *step = cJSON_CreateObject();
        cJSON_AddStringToObject(step, "what", s->steps[i].what);
        add_line(step, "line", s->steps[i].trail);
        add_stack(step, "stack", s->steps[i].trail);
        cJSON_AddItemToArray(steps, step);
    }
}

static cJSON *json_of_race(const struct report *report, int finding)
{
    const struct machine_race *r = report->race;
    cJSON *json = cJSON_CreateObject();
    char *place = frames_expand(r->place, NULL, 0, NULL);
    cJSON_AddBoolToObject(json, "note", r->is_note);
    add_line(json, "first", report->trails[1]);
    cJSON_AddStringToObject(json, "first_is", r->first);
    cJSON_AddStringToObject(json, "second_is", r->second);
    cJSON_AddStringToObject(json, "did", r->first_did);
    cJSON_AddNumberToObject(json, "first_block", r->first_block);
    cJSON_AddNumberToObject(json, "first_thread", r->first_thread);
    add_line(json, "second", report->trails[0]);
    cJSON_AddStringToObject(json, "does", r->second_does);
    cJSON_AddNumberToObject(json, "second_block", r->second_block);
    cJSON_AddNumberToObject(json, "second_thread", r->second_thread);
    cJSON_AddStringToObject(json, "place", place);
    cJSON_AddStringToObject(json, "mend", report->mend ? report->mend : "");
    cJSON_AddNumberToObject(json, "times", (double)report->times);
    cJSON_AddNumberToObject(json, "first_run", report->run);
    cJSON_AddNumberToObject(json, "more", report->more);
    cJSON_AddNumberToObject(json, "finding", finding);
    cJSON_AddStringToObject(json, "kernel", report->kernel);
    add_stack(json, "first_stack", report->trails[1]);
    add_stack(json, "second_stack", report->trails[0]);
    add_schedule(json, report->schedule);
    free(place);
    return json;
}

/* Adds the lines that the report names, with the calls that led to them. */
static void add_lines(cJSON *json, const struct report *r)
{
    cJSON *lines = cJSON_AddArrayToObject(json, "lines");
    for (unsigned t = 0; t < r->trail_count; t++) {
        cJSON *one = cJSON_CreateObject();
        add_line(one, "line", r->trails[t]);
        add_stack(one, "stack", r->trails[t]);
        cJSON_AddItemToArray(lines, one);
    }
    cJSON_AddStringToObject(json, "kernel", r->kernel);
}

static cJSON *json_of_rule(const struct report *r)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", r->kind);
    cJSON_AddStringToObject(json, "what", r->what);
    cJSON_AddStringToObject(json, "mend", r->mend ? r->mend : "");
    cJSON_AddNumberToObject(json, "times", (double)r->times);
    cJSON_AddNumberToObject(json, "first_run", r->run);
    cJSON_AddNumberToObject(json, "more", r->more);
    add_lines(json, r);
    return json;
}

static cJSON *json_of_finding(const struct report *r)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "what", r->what);
    cJSON_AddStringToObject(json, "mend", r->mend ? r->mend : "");
    cJSON_AddNumberToObject(json, "runs", (double)r->times);
    cJSON_AddNumberToObject(json, "first_run", r->run);
    cJSON_AddStringToObject(json, "memory", memory_names[r->setting->memory]);
    cJSON_AddStringToObject(json, "schedule", schedule_names[r->setting->schedule]);
    cJSON_AddStringToObject(json, "said", r->said ? r->said : "");
    add_lines(json, r);
    add_schedule(json, r->schedule);
    return json;
}

static cJSON *json_of_suppressed(const struct report *r)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", r->kind);
    cJSON_AddStringToObject(json, "what", r->what);
    cJSON_AddStringToObject(json, "by", r->suppressed_by->place);
    return json;
}

static void add_reports(cJSON *json)
{
    cJSON *races = cJSON_AddArrayToObject(json, "races"), *rules = cJSON_AddArrayToObject(json, "rules");
    cJSON *suppressed = cJSON_AddArrayToObject(json, "suppressed"),
          *unused = cJSON_AddArrayToObject(json, "unused_suppressions");
    int *index_of = allocate((reports_count() + 1) * sizeof *index_of), next = 0;
    for (size_t i = 0; i < reports_count(); i++)
        index_of[i] = reports_at(i)->race && !reports_at(i)->suppressed_by ? next++ : -1;
    for (size_t i = 0; i < reports_count(); i++) {
        const struct report *r = reports_at(i);
        if (r->suppressed_by)
            cJSON_AddItemToArray(suppressed, json_of_suppressed(r));
        else if (r->race)
            cJSON_AddItemToArray(races, json_of_race(r, index_of[r->finding]));
        else if (r->setting)
            cJSON_AddItemToObject(json, r->kind, json_of_finding(r));
        else
            cJSON_AddItemToArray(rules, json_of_rule(r));
    }
    free(index_of);
    for (size_t i = 0; i < suppressions_count(); i++)
        if (!suppressions_at(i)->used)
            cJSON_AddItemToArray(unused, cJSON_CreateString(suppressions_at(i)->place));
}

static cJSON *json_of_left_out(const struct machine_left_out *out)
{
    cJSON *json = cJSON_CreateObject();
    char *end = frames_expand(out->end, NULL, 0, NULL);
    cJSON_AddNumberToObject(json, "launches", (double)out->launches);
    cJSON_AddNumberToObject(json, "of_launches", (double)out->of_launches);
    cJSON_AddNumberToObject(json, "after_call", (double)out->calls);
    cJSON_AddNumberToObject(json, "blocks", (double)out->blocks);
    cJSON_AddNumberToObject(json, "of_blocks", (double)out->of_blocks);
    cJSON_AddNumberToObject(json, "ended_blocks", (double)out->cut);
    cJSON_AddNumberToObject(json, "ended_threads", (double)out->threads);
    cJSON_AddStringToObject(json, "ended_at", end);
    cJSON *skipped = cJSON_AddObjectToObject(json, "skipped_calls");
    for (unsigned i = 0; i < out->skipped_count; i++)
        cJSON_AddNumberToObject(skipped, out->skipped[i].name, (double)out->skipped[i].calls);
    free(end);
    return json;
}

void findings_write(const struct findings *f, const char *path)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "schema", "gpusync-check/1");
    cJSON_AddStringToObject(json, "file", f->file);
    cJSON_AddNumberToObject(json, "runs", f->runs);
    cJSON_AddNumberToObject(json, "seconds", f->seconds);
    cJSON_AddNumberToObject(json, "steps", (double)f->steps);
    cJSON_AddStringToObject(json, "not_launched", f->unlaunched);
    cJSON_AddNumberToObject(json, "status", findings_status(f));
    cJSON_AddItemToObject(json, "left_out", json_of_left_out(&f->left_out));
    add_reports(json);
    cJSON_AddItemToObject(json, "covered", coverage_json(&f->coverage));
    cJSON_AddNumberToObject(json, "too_long", f->of[RUN_TOO_LONG].runs);
    cJSON_AddNumberToObject(json, "too_large", f->of[RUN_TOO_LARGE].runs);
    if (f->hang.is_there)
        cJSON_AddItemToObject(json, "progress", hang_json(&f->hang));
    json_write(json, path);
}
