#include "check/explore/reports.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct report *reports;
static size_t count;

struct report *reports_add(const char *kind, const char *text)
{
    reports = with_room(reports, sizeof *reports, count, 1);
    struct report *r = &reports[count++];
    *r = (struct report){.kind = kind, .rule = -1, .kernel = ""};
    r->what = frames_expand(text, r->trails, MOST_TRAILS, &r->trail_count);
    for (unsigned t = 0; t < r->trail_count && !*r->kernel; t++)
        r->kernel = r->trails[t]->kernel;
    return r;
}

/* ---- one report for each pair of lines ---- */

static const struct trail *trail_at(const struct report *r, unsigned number)
{
    return number < r->trail_count ? r->trails[number] : NULL;
}

static bool are_same(const struct report *a, const struct report *b)
{
    const struct trail *first = trail_at(a, 0), *second = trail_at(a, 1);
    if (strcmp(a->kind, b->kind) != 0 || a->rule != b->rule)
        return false;
    return (frames_are_same_line(first, trail_at(b, 0)) && frames_are_same_line(second, trail_at(b, 1))) ||
           (frames_are_same_line(first, trail_at(b, 1)) && frames_are_same_line(second, trail_at(b, 0)));
}

/* Merges reports about the same lines, among the reports from number `from` on. The first of them stays and
 * counts the others. */
static void leave_one_of_each(size_t from)
{
    size_t left = from;
    for (size_t i = from; i < count; i++) {
        size_t same = from;
        while (same < left && !are_same(&reports[same], &reports[i]))
            same++;
        if (same < left) {
            reports[same].more++;
            reports[same].times += reports[i].times;
            reports[same].run = reports[i].run < reports[same].run ? reports[i].run : reports[same].run;
        } else {
            reports[left++] = reports[i];
        }
    }
    count = left;
}

/* ---- races and rules ---- */

/* Compares two reports by how much they tell the user. Mistakes come before notes. Races of two strong
 * accesses come first, because they cause other races. Races with a known cure come before others. Reads of
 * what another thread wrote come before overwritten accesses. Earlier runs come before later ones, and more
 * frequent races before less frequent ones. */
static int by_telling(const void *a, const void *b)
{
    const struct report *x = a, *y = b;
    if (x->is_note != y->is_note)
        return x->is_note - y->is_note;
    if (x->race->are_both_strong != y->race->are_both_strong)
        return y->race->are_both_strong - x->race->are_both_strong;
    if (x->race->is_cure_known != y->race->is_cure_known)
        return y->race->is_cure_known - x->race->is_cure_known;
    bool x_reads = strcmp(x->race->second_does, "reads") == 0,
         y_reads = strcmp(y->race->second_does, "reads") == 0;
    if (x_reads != y_reads)
        return y_reads - x_reads;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->times != y->times)
        return x->times > y->times ? -1 : 1;
    return strcmp(x->what, y->what);
}

/* Is each line of the report one of a kernel of CUB or Thrust, to which no line of the user's leads? Some of
 * these kernels read shared memory that nobody has written, and do not use the value, or rely on the order in
 * which a thread's accesses depend on each other. The user cannot mend that. */
static bool is_of_toolkit(const struct report *r)
{
    for (unsigned t = 0; t < r->trail_count; t++)
        for (unsigned i = 0; i < r->trails[t]->count; i++) {
            const struct source *source = r->trails[t]->frames[i].source;
            if (source->origin != SOURCE_LIBRARY ||
                (strncmp(source->shown, "cub/", 4) != 0 && strncmp(source->shown, "thrust/", 7) != 0))
                return false;
        }
    return r->trail_count > 0;
}

static void make_note(struct report *r)
{
    r->kind = "note";
    r->is_note = true;
}

static void add_race(size_t number)
{
    struct machine_race *race = allocate(sizeof *race);
    char text[4096];
    machine_describe_race(number, race);
    snprintf(text, sizeof text, "%s at %s %s %s, which %s %s at %s; %s", race->second, race->second_line,
             race->second_does, race->place, race->first, race->first_did, race->first_line, race->nothing);
    struct report *r = reports_add("race", text);
    if (r->trail_count > 2) /* the line of an array's allocation is no line of the race */
        r->trails[1] = r->trails[r->trail_count - 1];
    r->trail_count = r->trail_count > 2 ? 2 : r->trail_count;
    r->race = race;
    if (race->is_note || (!race->is_between_tasks && is_of_toolkit(r)))
        make_note(r);
    r->times = race->times;
    r->run = race->run;
    r->mend = frames_expand(race->mend, NULL, 0, NULL);
}

static void add_rule(size_t number)
{
    struct machine_rule rule = machine_describe_rule(number);
    struct report *r = reports_add(rule.kind, rule.text);
    r->rule = rule.rule;
    if (strcmp(rule.kind, "unwritten") == 0 && is_of_toolkit(r))
        make_note(r);
    r->times = rule.times;
    r->run = rule.run;
}

/* Is a line of the report one of a race's after number `races`? */
static bool is_of_race(const struct report *r, size_t races)
{
    for (size_t i = races; i < count; i++)
        for (unsigned t = 0; r->trail_count && reports[i].race && t < reports[i].trail_count; t++)
            if (frames_are_same_line(r->trails[0], reports[i].trails[t]))
                return true;
    return false;
}

/* Puts the reads of memory that nobody has written after the races, if a race of the same line is their
 * cause: the write came too late. */
static void causes_first(size_t races)
{
    for (size_t i = 0, left = races; left--;) {
        struct report r = reports[i];
        if (strcmp(r.kind, "unwritten") != 0 || !is_of_race(&r, races)) {
            i++;
            continue;
        }
        memmove(&reports[i], &reports[i + 1], (count - i - 1) * sizeof r);
        reports[count - 1] = r;
        races--;
    }
}

void reports_collect(void)
{
    for (size_t i = 0; i < machine_rules(); i++)
        add_rule(i);
    leave_one_of_each(0);
    size_t races = count;
    for (size_t i = 0; i < machine_races(); i++)
        add_race(i);
    if (count > races)
        qsort(reports + races, count - races, sizeof *reports, by_telling);
    leave_one_of_each(races);
    causes_first(races);
}

/* ---- which reports count ---- */

void reports_suppress(void)
{
    for (size_t i = 0; i < count; i++) {
        struct report *r = &reports[i];
        r->suppressed_by = suppression_of(r->kind, r->trails, r->trail_count, r->kernel);
    }
}

size_t reports_count(void)
{
    return count;
}

const struct report *reports_at(size_t number)
{
    return &reports[number];
}

size_t reports_of(const char *kind)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found +=
            !reports[i].suppressed_by && !reports[i].is_note && (!kind || strcmp(reports[i].kind, kind) == 0);
    return found;
}

bool reports_suppressed(void)
{
    for (size_t i = 0; i < count; i++)
        if (reports[i].suppressed_by)
            return true;
    return false;
}

static void print_sweep(const struct sweep *s, FILE *file)
{
    const char *delays = s->delays == 1 ? "delay" : "delays";
    unsigned long long runs = s->schedules * 2;
    if (s->is_whole)
        fprintf(file, "; all %llu schedules with %u %s", s->schedules, s->delays, delays);
    else
        fprintf(file, "; %llu of the %llu runs with %u %s", s->runs, runs, s->delays, delays);
}

void coverage_print(const struct coverage *coverage, unsigned long long steps, FILE *file)
{
    struct machine_orders orders = machine_orders_so_far();
    fprintf(file, "covered: %llu steps; %zu of %zu pairs of accesses in both orders%s", steps, orders.both,
            orders.pairs, orders.all ? "" : " (of those that were noted: there are more)");
    for (unsigned i = 0; i < coverage->sweep_count; i++)
        print_sweep(&coverage->sweeps[i], file);
    if (coverage->sweep_count)
        fprintf(file, " at %zu places, with coherent memory and the oldest values", coverage->places);
    fputc('\n', file);
}

cJSON *coverage_json(const struct coverage *coverage)
{
    struct machine_orders orders = machine_orders_so_far();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "pairs", (double)orders.pairs);
    cJSON_AddNumberToObject(json, "pairs_in_both_orders", (double)orders.both);
    cJSON_AddBoolToObject(json, "all_pairs_are_noted", orders.all);
    cJSON_AddNumberToObject(json, "places", (double)coverage->places);
    cJSON *sweeps = cJSON_AddArrayToObject(json, "sweeps");
    for (unsigned i = 0; i < coverage->sweep_count; i++) {
        const struct sweep *s = &coverage->sweeps[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "delays", s->delays);
        cJSON_AddNumberToObject(one, "schedules", (double)s->schedules);
        cJSON_AddNumberToObject(one, "runs", (double)s->runs);
        cJSON_AddBoolToObject(one, "all", s->is_whole);
        cJSON_AddItemToArray(sweeps, one);
    }
    return json;
}
