/* One file because all kinds of runs share what a check knows so far, and the time that is left. */
#include "tools/check/explore/schedules.h"
#include "base/memory.h"
#include "tools/check/explore/shorten.h"

#include <math.h>
#include <stdlib.h>

/* No run begins after this number of runs hung or exceeded a limit, since such runs take long. */
#define ENOUGH 20
/* If something has been found, no run begins after this part of the time. */
#define PART_FOR_FINDINGS 0.25
/* The same if nothing new has been found for this part of the time. Also the same if DRAWN_IN_VAIN drawn
 * runs, which took this part of the time, have shown no place that several warps access and one writes: then
 * no schedule matters. */
#define PART_FOR_MORE 0.125
#define DRAWN_IN_VAIN 48
/* Drawn runs take at most this part of the time that the first run leaves, so that sweeps have the rest. */
#define PART_FOR_DRAWN 0.5
/* A sweep that cannot be completed ends if no run has shown a new order of accesses for this part of the
 * time. */
#define PART_WITHOUT_NEWS 0.25
/* A delay takes this number of times the time of the first run, so that all other warps of the program end
 * meanwhile, or wait. */
#define LENGTH_OF_DELAY 2
/* Numbers of drawn runs of small and of large programs. */
#define LEAST_DRAWN 200
#define MOST_DRAWN 2000

/* A check while its runs are made: what it has to do, what it has found, and its next run. */
struct check {
    const struct plan *plan;
    struct findings *findings;
    struct runs runs;
    double news_at;              /* elapsed() when a new order of accesses came */
    double found_at;             /* elapsed() when something came that no run had found before */
    size_t found;                /* how much has been found */
    unsigned next;               /* the number of the run that begins next */
    unsigned drawn_end;          /* the number of the run after the last drawn run */
    double drawn_until;          /* no drawn run beyond COMBINATIONS begins after this elapsed() */
    double run_seconds;          /* time that all runs so far took */
    unsigned long long units;    /* time units that the first run took */
    unsigned resident_threads;   /* number of resident threads with which the first run came to its end */
    struct machine_hold *places; /* the places at which sweeps hold warps back */
    size_t place_count;
    struct sweep *sweep;      /* the sweep whose runs are being made */
    unsigned long long swept; /* number of runs of this sweep that have begun */
    /* the number of the sweep's first run; it does not depend on the available time, so that --only finds a
     * run again */
    unsigned sweep_begins;
    bool is_completed;    /* whether all of the sweep's runs will be made if nothing is found */
    struct setting *racy; /* the settings of the runs that found races first */
    size_t racy_count;
    bool chose_sample;
    /* seconds that the first run took before and after its first launch; 0 means that there was none */
    double before, kernels;
};

/* Number of threads that are resident at first. The machine's data of these threads fit into a processor's
 * cache. */
#define RESIDENT_THREADS 8192

/* Returns the setting of the run with this number. Run 0 has the plain schedule, in which warps take turns,
 * because it counts the program's steps. All other runs have other schedules. Every fourth run has coherent
 * memory. */
static struct setting setting_of(unsigned number, unsigned long long steps)
{
    static const enum machine_memory memories[] = {MACHINE_COHERENT, MACHINE_ANY, MACHINE_OLDEST, MACHINE_L1};
    static const enum machine_schedule schedules[] = {MACHINE_RANDOM, MACHINE_ADVERSARIAL, MACHINE_DELAYS};
    if (number == 0)
        return (struct setting){.memory = MACHINE_COHERENT,
                                .schedule = MACHINE_ROUND_ROBIN,
                                .notes_places = true,
                                .resident_threads = RESIDENT_THREADS};
    return (struct setting){.number = number,
                            .memory = memories[number % 4],
                            .schedule = schedules[number / 4 % 3],
                            .delays = 1 + number / 12 % 3,
                            .slow_fences = number / 4 % 2 == 1,
                            .steps = steps};
}

static double elapsed(const struct check *check)
{
    return runs_seconds(&check->runs);
}

/* Returns whether the runs so far are enough, because of what they have found. */
static bool is_decided(const struct check *check)
{
    double now = elapsed(check), all = check->plan->seconds;
    bool has_more = now <= PART_FOR_FINDINGS * all && now - check->found_at <= PART_FOR_MORE * all;
    return findings_bad_ends(check->findings) >= ENOUGH || (findings_are_there(check->findings) && !has_more);
}

static void add(struct check *check, const struct setting *setting, const struct run_outcome *outcome)
{
    if (setting->number == 0) {
        check->findings->steps = outcome->steps;
        check->findings->starts = outcome->starts;
        check->findings->left_out = outcome->left_out;
        if (outcome->left_out.calls)
            snprintf(check->findings->host_end, sizeof check->findings->host_end, "%s", outcome->where);
        snprintf(check->findings->unlaunched, sizeof check->findings->unlaunched, "%s", outcome->unlaunched);
        check->findings->lacks_kernels = outcome->lacks_kernels;
        check->before = outcome->before;
        check->kernels = outcome->before > 0 ? outcome->seconds - outcome->before : 0;
        check->units = outcome->units;
        check->resident_threads = outcome->resident_threads;
    }
    check->run_seconds += outcome->seconds;
    if (machine_lacks_cures(setting->number + 1)) {
        check->racy = with_room(check->racy, sizeof *check->racy, check->racy_count, 1);
        check->racy[check->racy_count++] = *setting;
    }
    if (outcome->new_orders)
        check->news_at = elapsed(check);
    if (setting->number != 0 || check->plan->only <= 1)
        findings_add(check->findings, setting, outcome);
    size_t found = machine_races() + machine_rules() + findings_ends(check->findings);
    if (found != check->found) {
        check->found = found;
        check->found_at = elapsed(check);
    }
    if (findings_are_there(check->findings))
        check->runs.abandon_at = PART_FOR_FINDINGS * check->plan->seconds;
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
    bool is_chosen = !check->plan->runs && !check->plan->only;
    bool is_vain = check->next >= DRAWN_IN_VAIN && !machine_orders_so_far().pairs &&
                   elapsed(check) > PART_FOR_MORE * check->plan->seconds;
    bool needs_more =
        !is_chosen || check->next < COMBINATIONS || (elapsed(check) < check->drawn_until && !is_vain);
    if (check->next >= check->drawn_end || is_decided(check) || !needs_more)
        return false;
    *setting = setting_of(check->next++, check->findings->steps);
    setting->resident_threads = check->resident_threads;
    return true;
}

/* Returns the setting of a run of the sweep. The sweep's schedules are all ways to choose its number of
 * delays from the places; the order of the chosen places decides which delay is longest. Consecutive runs
 * jump through this list, so that the runs for which there is time are spread over it. */
static struct setting setting_of_sweep(const struct check *check, unsigned long long run)
{
    const struct sweep *sweep = check->sweep;
    struct setting setting = {.memory = run % SWEPT_MEMORIES ? MACHINE_OLDEST : MACHINE_COHERENT,
                              .schedule = MACHINE_ROUND_ROBIN,
                              .steps = check->findings->steps,
                              .resident_threads = check->resident_threads,
                              .hold_count = sweep->delays,
                              .hold_units = LENGTH_OF_DELAY * check->units};
    unsigned long long nth = run / SWEPT_MEMORIES * sweep->jump % sweep->schedules;
    size_t chosen[MOST_HOLDS];
    for (unsigned d = 0; d < sweep->delays; d++) {
        size_t place = (size_t)(nth % (check->place_count - d)), at = 0;
        nth /= check->place_count - d;
        /* converts `place` from an index among the unchosen places to an index among all places */
        for (; at < d && chosen[at] <= place; at++)
            place++;
        for (size_t i = d; i > at; i--)
            chosen[i] = chosen[i - 1];
        chosen[at] = place;
        setting.holds[d] = check->places[place];
    }
    return setting;
}

static bool next_of_sweep(struct check *check, struct setting *setting)
{
    bool stops_at_findings = !check->plan->exhaustive && findings_are_there(check->findings);
    bool is_old =
        !check->is_completed && elapsed(check) - check->news_at > PART_WITHOUT_NEWS * check->plan->seconds;
    if (check->swept >= check->sweep->schedules * SWEPT_MEMORIES || is_decided(check) || stops_at_findings ||
        is_old)
        return false;
    *setting = setting_of_sweep(check, check->swept);
    setting->number = check->sweep_begins + (unsigned)check->swept++;
    return true;
}

/* ---- all runs ---- */

/* Returns whether a run that takes as long as the runs so far would not end in time. The first COMBINATIONS
 * runs begin as long as there is time, because there is no verdict without them. */
static bool would_be_late(const struct check *check)
{
    unsigned runs = check->findings->runs;
    return runs >= COMBINATIONS && elapsed(check) + check->run_seconds / runs > check->plan->seconds;
}

/* Makes a run for each setting that the function `next` returns, until `next` returns none or time is up. */
static void make_runs(struct check *check, bool (*next)(struct check *check, struct setting *setting))
{
    struct setting setting;
    struct run_outcome outcome;
    for (bool has_more = true;;) {
        while (has_more && runs_have_room(&check->runs)) {
            has_more = !would_be_late(check) && next(check, &setting);
            if (has_more)
                runs_start(&check->runs, setting);
        }
        if (!runs_wait(&check->runs, &setting, &outcome))
            return;
        add(check, &setting, &outcome);
    }
}

/* ---- sweeps ---- */

static void take_places(struct check *check)
{
    const struct findings *f = check->findings;
    if (!check->plan->exhaustive) {
        const struct machine_hold *places = machine_places(&check->place_count);
        check->places = allocate((check->place_count + 1) * sizeof *check->places);
        for (size_t i = 0; i < check->place_count; i++)
            check->places[i] = places[i];
        return;
    }
    check->place_count = (size_t)(f->steps + f->starts);
    check->places = allocate((check->place_count + 1) * sizeof *check->places);
    for (size_t i = 0; i < check->place_count; i++) {
        check->places[i] = (struct machine_hold){0};
        if (i < f->steps)
            check->places[i].step = i + 1;
        else
            check->places[i].start = i - f->steps + 1;
    }
}

static unsigned long long common_divisor(unsigned long long a, unsigned long long b)
{
    return b ? common_divisor(b, a % b) : a;
}

static unsigned sweep_runs(const struct sweep *sweep)
{
    return (unsigned)sweep->schedules * SWEPT_MEMORIES;
}

/* Begins the sweep of all schedules with this number of delays. Returns false if there is no such schedule,
 * or if their number is too large. */
static bool begin_sweep(struct check *check, unsigned delays)
{
    struct coverage *coverage = &check->findings->coverage;
    /* keeps numbers of runs and products of such numbers from overflowing */
    const unsigned long long most = 1ull << 28;
    unsigned long long schedules = 1;
    for (unsigned d = 0; d < delays; d++) {
        schedules *= d < check->place_count ? check->place_count - d : 0;
        if (!schedules || schedules > most)
            return false;
    }
    unsigned long long jump = delays > 1 ? (unsigned long long)(0.618 * (double)schedules) | 1 : 1;
    while (common_divisor(jump, schedules) != 1)
        jump += 2;
    check->sweep_begins = check->sweep ? check->sweep_begins + sweep_runs(check->sweep) : check->drawn_end;
    check->sweep = &coverage->sweeps[coverage->sweep_count++];
    *check->sweep = (struct sweep){.delays = delays, .schedules = schedules, .jump = jump};
    check->swept = 0;
    return true;
}

/* Makes sweeps with more and more delays, until a sweep is not completed, or shows no new order of
 * accesses. */
static void make_sweeps(struct check *check)
{
    struct coverage *coverage = &check->findings->coverage;
    take_places(check);
    coverage->places = check->place_count;
    unsigned most = check->plan->exhaustive ? 1 : MOST_HOLDS;
    for (unsigned delays = 1; delays <= most && !runs_time_is_up(&check->runs); delays++) {
        double began = elapsed(check), left = check->plan->seconds - began;
        double each = check->run_seconds / check->findings->runs / (double)check->runs.count;
        if (findings_are_there(check->findings) && !check->plan->exhaustive)
            break;
        if (!begin_sweep(check, delays))
            break;
        check->is_completed = delays == 1 || sweep_runs(check->sweep) * each < left;
        if (!check->is_completed && delays > 2) {
            coverage->sweep_count--;
            break;
        }
        make_runs(check, next_of_sweep);
        check->sweep->runs = check->swept;
        check->sweep->is_whole = check->swept >= check->sweep->schedules * SWEPT_MEMORIES;
        if (!check->sweep->is_whole || (delays > 1 && check->news_at < began))
            break;
    }
}

/* Makes the single run that --only asks for, which belongs to a sweep. */
static void make_only_of_sweeps(struct check *check)
{
    unsigned wanted = check->plan->only - 1;
    take_places(check);
    for (unsigned delays = 1; delays <= MOST_HOLDS && begin_sweep(check, delays); delays++) {
        if (wanted - check->sweep_begins >= sweep_runs(check->sweep))
            continue;
        struct setting setting = setting_of_sweep(check, wanted - check->sweep_begins);
        struct run_outcome outcome;
        setting.number = wanted;
        runs_start(&check->runs, setting);
        if (runs_wait(&check->runs, &setting, &outcome))
            add(check, &setting, &outcome);
        break;
    }
    check->findings->coverage.sweep_count = 0;
}

/* Makes the runs that found races again, to learn what would order the races' accesses. The last part of the
 * time is left to shorten_schedules(). */
static void explain_races(struct check *check)
{
    struct setting setting;
    struct run_outcome outcome;
    double all = check->plan->seconds, until = (1 - PART_FOR_TRIALS) * all;
    check->runs.abandon_at = elapsed(check) < until ? all : elapsed(check) + PART_FOR_MORE * all;
    for (size_t i = 0; i < check->racy_count || check->runs.busy;) {
        for (; i < check->racy_count && check->runs.busy < runs_side_by_side(&check->runs); i++)
            if (machine_lacks_cures(check->racy[i].number + 1) && (!i || elapsed(check) < until)) {
                check->racy[i].cures = true;
                runs_start(&check->runs, check->racy[i]);
            }
        if (runs_wait(&check->runs, &setting, &outcome) && outcome.end == RUN_CRASHED &&
            !check->findings->of[RUN_CRASHED].runs)
            fprintf(stderr, "gpusync-check: internal error: the run that explains run %u crashed, at %s\n",
                    setting.number + 1, outcome.where);
    }
    check->findings->racy = check->racy;
    check->findings->racy_count = check->racy_count;
}

/* Makes the first run that ended so again, to learn what would mend it. */
static void explain(struct check *check, enum run_end end)
{
    struct finding *finding = &check->findings->of[end];
    struct setting setting = finding->setting;
    struct run_outcome outcome;
    setting.cures = true;
    if (!finding->runs)
        return;
    runs_start(&check->runs, setting);
    if (runs_wait(&check->runs, &setting, &outcome) && outcome.end == end)
        snprintf(finding->outcome.mend, sizeof finding->outcome.mend, "%s", outcome.mend);
}

/* Returns the number of drawn runs: more for a program with more places at which a delay can come, because
 * the draw has to hit some of them. */
static unsigned drawn_runs(void)
{
    size_t wanted;
    machine_places(&wanted);
    return wanted < LEAST_DRAWN ? LEAST_DRAWN : wanted > MOST_DRAWN ? MOST_DRAWN : (unsigned)wanted;
}

/* The first sample of a program that is too large. What this run takes and leaves out says how much more may
 * be run. */
static const struct machine_sample smallest = {
    .blocks = 4, .launches = 1, .launches_of_kernel = 2, .steps = 250};
/* The larger sample has so many blocks, or more, up to MOST_BLOCKS, if a run takes less than a second. It has
 * all launches that are not alike, or so many of each kernel. */
#define USUAL_BLOCKS 16
#define MOST_BLOCKS 256
#define USUAL_LAUNCHES 8

static bool exceeds_limit(const struct check *check)
{
    return check->findings->of[RUN_TOO_LONG].runs || check->findings->of[RUN_TOO_LARGE].runs;
}

/* kernels take about this many times longer under the weaker memory modes than in the first run */
#define WEAK_TAKES 2
/* The kernels of a run get at least this number of seconds, however long the host takes. */
#define LEAST_OF_KERNELS 1

static double seconds_left(const struct check *check)
{
    double left = check->plan->seconds - elapsed(check);
    return left > 0 ? left : 0;
}

/* Returns how long a run may take so that a verdict fits into the time that is left. */
static double seconds_for_run(const struct check *check)
{
    unsigned runs = check->plan->runs && check->plan->runs < COMBINATIONS ? check->plan->runs : COMBINATIONS;
    return seconds_left(check) * (double)runs_side_by_side(&check->runs) / runs;
}

/* Does the host take so long until it launches something that there is no time for a verdict? */
static bool host_takes_all(const struct check *check)
{
    return check->before > seconds_for_run(check);
}

/* Returns how long a run may take after its first launch so that a verdict fits into the time that is left.
 * What the host does before its first launch takes the same time in every sample. */
static double seconds_for_kernels(const struct check *check)
{
    double seconds = seconds_for_run(check) - check->before;
    return seconds > LEAST_OF_KERNELS || check->before == 0 ? seconds : LEAST_OF_KERNELS;
}

static double seconds_for_first(const struct check *check)
{
    return seconds_for_kernels(check) / WEAK_TAKES;
}

/* Limits the time after the first launch. */
static void limit_kernels(struct check *check, double seconds)
{
    struct limits *limits = &check->runs.limits;
    limits->seconds_of_kernels = seconds < limits->seconds_of_run ? seconds : 0;
}

/* Makes the first run again with changed limits, and discards the findings so far. Its kernels may take this
 * number of seconds. */
static void make_again(struct check *check, double kernels)
{
    struct limits *limits = &check->runs.limits;
    double usual = limits->seconds_of_run;
    limit_kernels(check, kernels);
    if (limits->seconds_of_run > seconds_left(check))
        limits->seconds_of_run = seconds_left(check);
    *check->findings = (struct findings){.file = check->findings->file,
                                         .limits = *limits,
                                         .chose_sample = check->chose_sample,
                                         .lacks_seconds = limits->seconds_of_run < usual};
    check->next = 0;
    check->run_seconds = 0;
    make_runs(check, first_run);
    limits->seconds_of_run = usual;
}

/* Changes the limits, so that a run takes less time. Returns false if there is nothing to change. After races
 * were found, only the host's own computing is left out, because another sample might not show them. */
static bool choose_sample(struct check *check)
{
    struct limits *limits = &check->runs.limits;
    const struct run_outcome *late = &check->findings->of[RUN_TOO_LONG].outcome;
    bool is_smallest = limits->sample.blocks;
    if (late->host_calls && !late->is_short && late->host_calls != limits->calls)
        limits->calls = (unsigned)late->host_calls;
    else if (findings_are_there(check->findings))
        return false;
    else if (late->host_calls > 1 && is_smallest)
        limits->calls = (unsigned)((double)late->host_calls / 2 * seconds_for_first(check) / check->kernels);
    else if (!is_smallest)
        limits->sample = smallest;
    else
        return false;
    check->chose_sample = true;
    return true;
}

static bool next_probe(struct check *check, struct setting *setting)
{
    return check->next <= check->runs.count && next_drawn(check, setting);
}

/* Returns whether a verdict needs more time than there is. If the first run took long, the first drawn runs
 * show it. */
static bool lacks_time(struct check *check)
{
    double first = check->run_seconds;
    if (exceeds_limit(check) || check->plan->runs || host_takes_all(check))
        return exceeds_limit(check);
    if (check->kernels > seconds_for_first(check))
        return true;
    if (check->kernels < seconds_for_first(check) / 4)
        return false;
    check->drawn_end = (unsigned)check->runs.count + 1;
    limit_kernels(check, seconds_for_kernels(check));
    make_runs(check, next_probe);
    double each = (check->run_seconds - first) / (check->findings->runs > 1 ? check->findings->runs - 1 : 1);
    return exceeds_limit(check) || each > seconds_for_run(check);
}

/* Multiplies the time that a run takes, unless it would exceed `most`. Returns whether it did so. */
static bool take_more(double *seconds, double times, double most)
{
    bool fits = *seconds * times <= most;
    *seconds *= fits ? times : 1;
    return fits;
}

/* After a run of the smallest sample: chooses the largest one that fits into the time by what this run took
 * and left out. Returns false if it is the smallest. */
static bool enlarge_sample(struct check *check)
{
    const struct machine_left_out *out = &check->findings->left_out;
    struct machine_sample *sample = &check->runs.limits.sample;
    double made = (double)(out->of_launches - out->launches), alike = (double)out->alike,
           launches = made > 0 ? ((double)out->of_launches - alike) / made * (alike > 0 ? 2 : 1) : 1;
    double seconds = check->kernels, most = seconds_for_first(check);
    if (!take_more(&seconds, out->blocks ? USUAL_BLOCKS / smallest.blocks : 1, most))
        return false;
    sample->blocks = USUAL_BLOCKS;
    if (take_more(&seconds, launches, most)) {
        sample->launches = 2;
        sample->launches_of_kernel = 0;
    } else if (take_more(&seconds, USUAL_LAUNCHES, most)) {
        sample->launches = 2;
        sample->launches_of_kernel = USUAL_LAUNCHES;
    }
    if (out->cut) { /* half of the time, because later blocks do more if these are not cut so early */
        sample->steps = (unsigned)(smallest.steps * (most / seconds > 2 ? most / seconds / 2 : 1));
        return true;
    }
    sample->steps = 0;
    double blocks = USUAL_BLOCKS / (seconds + 1. / MOST_BLOCKS);
    if (blocks > USUAL_BLOCKS)
        sample->blocks = blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS;
    return true;
}

/* Is no other sample tried, because something was found or time is up? */
static bool ends_search(const struct check *check)
{
    return findings_are_there(check->findings) || runs_time_is_up(&check->runs);
}

static void make_first_run(struct check *check)
{
    struct limits *limits = &check->runs.limits;
    bool is_chosen = runs_are_limited(limits) || check->plan->only || check->plan->exhaustive, lacks;
    make_again(check, is_chosen ? INFINITY : seconds_for_first(check));
    if (is_chosen)
        return;
    while ((lacks = check->before > 0 && lacks_time(check)) && !runs_time_is_up(&check->runs) &&
           choose_sample(check))
        make_again(check, seconds_for_first(check));
    if (lacks || !limits->sample.blocks || host_takes_all(check) || ends_search(check) ||
        !enlarge_sample(check))
        return;
    make_again(check, seconds_for_first(check));
    if (lacks_time(check) && !ends_search(check)) {
        limits->sample = smallest;
        make_again(check, seconds_for_first(check));
    }
}

void schedules_run(const struct plan *plan, struct limits limits, struct findings *findings)
{
    struct check check = {.plan = plan, .findings = findings};
    check.runs = runs_begin(limits, plan->seconds);
    make_first_run(&check);
    bool is_too_large = exceeds_limit(&check);
    /* A run that is ended early still searches, so runs get less time each, and there can be more of them. */
    limit_kernels(&check, is_too_large && !plan->runs ? seconds_for_kernels(&check) : INFINITY);
    if (!is_too_large)
        findings->limits = check.runs.limits;
    double first = elapsed(&check);
    check.drawn_until = first + PART_FOR_DRAWN * (plan->seconds - first);
    check.next = plan->only > 1 ? plan->only - 1 : check.next;
    check.drawn_end = plan->exhaustive ? 1 : plan->runs ? plan->runs : drawn_runs();
    bool only_swept = plan->only > check.drawn_end && (plan->exhaustive || !plan->runs);
    if (plan->only && !only_swept)
        check.drawn_end = plan->only;
    if (only_swept)
        make_only_of_sweeps(&check);
    else if (!is_too_large || findings->starts)
        make_runs(&check, next_drawn);
    if (!is_too_large && !plan->only && (plan->exhaustive || !plan->runs))
        make_sweeps(&check);
    explain_races(&check);
    explain(&check, RUN_HUNG);
    if (!check.racy_count)
        explain(&check, RUN_ENDED);
    findings->seconds = elapsed(&check);
    findings->coverage.few = !plan->only && findings->runs < COMBINATIONS &&
                             (plan->runs == 0 || plan->runs > findings->runs) &&
                             (!plan->exhaustive || runs_time_is_up(&check.runs));
    bool is_cut = check.sweep && check.swept < check.sweep->schedules * SWEPT_MEMORIES;
    findings->coverage.is_out_of_time = !plan->only && (is_cut || would_be_late(&check));
    findings->coverage.run_seconds = findings->runs ? check.run_seconds / findings->runs : 0;
    runs_end(&check.runs);
    free(check.places);
}
