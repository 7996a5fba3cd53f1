#include "tools/check/explore/shorten.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* the largest number of trials for a report */
#define MOST_TRIALS 200
/* The part of PART_FOR_TRIALS that the trials may take if the check has no time left. */
#define LEAST_PART 0.25

/* A report whose schedule is made short. */
struct work {
    struct runs runs;
    const struct report *report;
    enum run_end end;       /* how the run ended, if the report is not about a race */
    int status;             /* the program's status if it ended by itself */
    struct setting setting; /* the setting of the run that failed */
    unsigned trials;
    struct run_outcome outcome; /* the outcome of the last trial */
};

/* ---- trials ---- */

/* Makes the run again with these departures alone. Returns whether it fails as the report says. */
static bool fails(struct work *w, const uint32_t *kept, size_t count, bool notes_steps)
{
    struct setting setting = w->setting;
    setting.is_trial = true;
    setting.notes_steps = setting.notes_places = notes_steps;
    w->runs.limits.kept = kept;
    w->runs.limits.kept_count = count;
    w->trials++;
    free(w->outcome.trace);
    w->outcome.trace = NULL;
    runs_start(&w->runs, setting);
    if (!runs_wait(&w->runs, &setting, &w->outcome))
        return false;
    if (w->report->race) /* a run that left no record has no trace, either */
        return w->outcome.trace && machine_race_came_again(w->report->race_number);
    return w->outcome.end == w->end && (w->end != RUN_ENDED || w->outcome.status == w->status);
}

static bool has_more(const struct work *w)
{
    return w->trials < MOST_TRIALS && !runs_time_is_up(&w->runs);
}

/* Leaves out departures without which the run still fails: half of them at a time, then a quarter and so on,
 * the last ones first, since what comes after the failure cannot matter. Returns the number that is left. */
static size_t reduce(struct work *w, uint32_t *kept, size_t count)
{
    uint32_t *fewer = allocate((count + 1) * sizeof *fewer);
    for (size_t size = (count + 1) / 2, before = count; count && has_more(w);) {
        for (size_t end = count; end && has_more(w);) {
            size_t begin = end > size ? end - size : 0;
            memcpy(fewer, kept, begin * sizeof *kept);
            memcpy(fewer + begin, kept + end, (count - end) * sizeof *kept);
            if (fails(w, fewer, count - (end - begin), false)) {
                count -= end - begin;
                memcpy(kept, fewer, count * sizeof *kept);
            }
            end = begin;
        }
        if (size == 1 && count == before)
            break;
        before = count;
        size = (size + 1) / 2;
    }
    free(fewer);
    return count;
}

/* ---- the steps that matter ---- */

/* Two runs whose steps are compared. */
struct compared {
    const struct machine_step *steps, *others; /* the steps of a run that fails, and of one that does not */
    size_t count, other_count;
    bool *told; /* for each step of the run that fails: does the report show it? */
    unsigned told_count;
};

/* Returns the number of the same step of the other run, or SIZE_MAX if it has none. */
static size_t in_other(const struct compared *c, size_t at)
{
    const struct machine_step *step = &c->steps[at];
    for (size_t i = 0; i < c->other_count; i++) {
        const struct machine_step *other = &c->others[i];
        if (other->warp == step->warp && other->thread == step->thread &&
            other->instruction == step->instruction && other->nth == step->nth)
            return i;
    }
    return SIZE_MAX;
}

static bool conflict(const struct machine_step *a, const struct machine_step *b)
{
    return a->place == b->place && a->warp != b->warp && (a->writes || b->writes);
}

static void tell(struct compared *c, size_t at)
{
    c->told_count += !c->told[at];
    c->told[at] = true;
}

/* Does the report show an earlier step that a lane of this warp made by the same instruction? */
static bool is_told_of_warp(const struct compared *c, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (c->told[i] && c->steps[i].warp == c->steps[at].warp &&
            c->steps[i].instruction == c->steps[at].instruction)
            return true;
    return false;
}

/* Can the order of these two steps be why the run fails? It can if the other run has them in the other order,
 * or if the first writes a value that the second does not see. */
static bool matter(const struct compared *c, size_t first, size_t second)
{
    size_t x = in_other(c, first), y = in_other(c, second);
    return (c->steps[second].is_old && c->steps[first].writes) || (x != SIZE_MAX && y != SIZE_MAX && x > y);
}

/* Block `to` may have waited for block `from` before its step `end`. Puts into the report the write of block
 * `from`, from step `begin` on, and the read of block `to` that got its value. Returns false if there are
 * none. */
static bool tell_way(struct compared *c, unsigned from, size_t begin, unsigned to, size_t end)
{
    for (size_t read = end; read-- > begin;)
        for (size_t write = read; c->steps[read].block == to && from != to && write-- > begin;)
            if (c->steps[write].block == from && c->steps[write].writes &&
                conflict(&c->steps[write], &c->steps[read])) {
                tell(c, write);
                tell(c, read);
                return true;
            }
    return false;
}

/* Puts into the report the first pairs of steps whose order makes the run fail, and how their threads came to
 * these steps. */
static void choose_steps(struct compared *c)
{
    for (size_t second = 0; second < c->count && c->told_count + 4 <= MOST_STEPS_TOLD; second++) {
        const struct machine_step *b = &c->steps[second];
        size_t first = second;
        while (first && !conflict(&c->steps[first - 1], b))
            first--;
        if (!first || is_told_of_warp(c, second) || !matter(c, first - 1, second))
            continue;
        const struct machine_step *a = &c->steps[--first];
        tell(c, first);
        tell(c, second);
        size_t before = first;
        while (before && !(c->steps[before - 1].warp == b->warp && c->steps[before - 1].thread == b->thread))
            before--;
        if (b->is_old)
            tell_way(c, a->block, first + 1, b->block, second);
        else if (!tell_way(c, b->block, 0, a->block, first) && before)
            tell(c, before - 1);
    }
}

/* The thread got an older value in this step. Writes as advice that a fence is missing after the step in
 * which it learned from another thread that there is a newer one; NULL means that there is no such step. */
static void mend_old_value(struct short_schedule *schedule, const struct compared *c, size_t old,
                           const struct told_step *learned)
{
    char read[256], older[256];
    if (c->steps[old].writes || !learned)
        return;
    frames_line(learned->trail, read, sizeof read);
    frames_line(schedule->steps[schedule->step_count].trail, older, sizeof older);
    snprintf(schedule->mend, sizeof schedule->mend,
             "an acquire after the read at %s and before that at %s, which gets an older value "
             "(__threadfence()), and a release between the two writes that they read, if there is none",
             read, older);
}

static void tell_steps(struct short_schedule *schedule, struct compared *c)
{
    const struct machine_step *before = NULL; /* the step that was told last; NULL if none was */
    choose_steps(c);
    for (size_t i = 0; i < c->count; i++) {
        struct told_step *told = &schedule->steps[schedule->step_count];
        char text[sizeof c->steps->text + 32];
        if (!c->told[i])
            continue;
        snprintf(text, sizeof text, "%s%s", c->steps[i].text,
                 !c->steps[i].is_old  ? ""
                 : c->steps[i].writes ? ", which is older than another value there"
                                      : " and gets an older value");
        told->what = frames_expand(text, &told->trail, 1, NULL);
        reports_drop_allocations(told->what);
        bool is_of_thread =
            before && before->warp == c->steps[i].warp && before->thread == c->steps[i].thread;
        if (c->steps[i].is_old)
            mend_old_value(schedule, c, i, is_of_thread ? told - 1 : NULL);
        before = &c->steps[i];
        schedule->step_count++;
    }
}

/* ---- reports ---- */

/* Returns the short schedule, or NULL if the run fails under the plain schedule, too, or if no short one was
 * found. */
static struct short_schedule *short_schedule_of(struct work *w)
{
    const uint32_t *all = w->runs.limits.kept;
    size_t count = w->runs.limits.kept_count;
    if (!fails(w, all, count, false))
        return NULL;
    unsigned departures = w->outcome.departures;
    count = all ? count : departures;
    uint32_t *kept = allocate((count + 1) * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        kept[i] = all ? all[i] : (uint32_t)i + 1;
    struct short_schedule *schedule = NULL;
    count = fails(w, kept, 0, false) ? 0 : reduce(w, kept, count);
    if (count && count <= MOST_KEPT) {
        schedule = allocate(sizeof *schedule);
        schedule->kept = (unsigned)count;
        schedule->departures = departures;
        size_t used = (size_t)snprintf(schedule->only, sizeof schedule->only, "%u", w->setting.number + 1);
        for (size_t i = 0; i < count; i++)
            used += (size_t)snprintf(schedule->only + used, sizeof schedule->only - used, "%c%u",
                                     i ? ',' : ':', kept[i]);
        bool is_needed = !fails(w, kept, count - 1, true);
        struct compared c = {.others = w->outcome.trace, .other_count = w->outcome.trace_count};
        w->outcome.trace = NULL;
        if (fails(w, kept, count, true) && is_needed) {
            c.steps = w->outcome.trace;
            c.count = w->outcome.trace_count;
            c.told = allocate(c.count + 1);
            tell_steps(schedule, &c);
        }
        free(c.told);
        free((void *)c.others);
    }
    free(kept);
    return schedule;
}

/* Stores in `w` which run the report is of. Returns false if it is of none whose setting is known, or if the
 * run's end shows no mistake. */
static bool find_run(const struct findings *f, struct work *w)
{
    for (int end = 0; end < RUN_ENDS; end++)
        if (w->report->setting == &f->of[end].setting) {
            w->end = (enum run_end)end;
            w->status = f->of[end].outcome.status;
            w->setting = *w->report->setting;
            return true;
        }
    for (size_t i = 0; w->report->race && i < f->racy_count; i++)
        if (f->racy[i].number + 1 == w->report->run) {
            w->setting = f->racy[i];
            w->setting.cures = false;
            return true;
        }
    return false;
}

void shorten_schedules(const struct findings *f, double seconds)
{
    struct limits limits = f->limits;
    double most = PART_FOR_TRIALS * seconds, left = seconds - f->seconds;
    most = left > most ? most : left > LEAST_PART * most ? left : LEAST_PART * most;
    struct runs runs = runs_begin(limits, most);
    runs.abandon_at = most;
    for (size_t i = 0; i < reports_count() && !runs_time_is_up(&runs); i++) {
        struct work work = {.runs = runs, .report = reports_at(i)};
        work.runs.limits.kept = f->limits.kept;
        work.runs.limits.kept_count = f->limits.kept_count;
        if (work.report->is_note || work.report->suppressed_by || work.report->finding != i ||
            !find_run(f, &work))
            continue;
        reports_give_schedule(i, short_schedule_of(&work));
        free(work.outcome.trace);
        runs = work.runs;
    }
    runs_end(&runs);
}
