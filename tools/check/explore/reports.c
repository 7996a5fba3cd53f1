/* One file because collecting, merging and grouping work on the same list of reports. */
#include "tools/check/explore/reports.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
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

void reports_drop_allocations(char *text)
{
    for (char *begin; (begin = strstr(text, " (allocated at "));) {
        const char *end = strchr(begin, ')');
        if (!end)
            return;
        memmove(begin, end + 1, strlen(end));
    }
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

static bool are_same_gap(const struct gap *a, const struct gap *b)
{
    return a->source == b->source && a->function == b->function && a->first == b->first &&
           a->second == b->second;
}

static void add_gap(struct report *r, const struct gap *gap)
{
    for (size_t i = 0; i < r->gap_count; i++)
        if (are_same_gap(&r->gaps[i], gap)) {
            struct gap *same = &r->gaps[i];
            same->goes_on |= gap->goes_on;
            same->goes_back |= gap->goes_back;
            same->both_write |= gap->both_write;
            same->span = gap->span > same->span ? gap->span : same->span;
            return;
        }
    r->gaps = with_room(r->gaps, sizeof *r->gaps, r->gap_count, 1);
    r->gaps[r->gap_count++] = *gap;
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
            if (!reports[same].mend)
                reports[same].mend = reports[i].mend;
            if (reports[i].runs > reports[same].runs)
                reports[same].runs = reports[i].runs;
            for (size_t g = 0; g < reports[i].gap_count; g++)
                add_gap(&reports[same], &reports[i].gaps[g]);
        } else {
            reports[left++] = reports[i];
        }
    }
    count = left;
}

/* ---- races and rules ---- */

/* Was the race's second (0) or first (1) access made by an asynchronous copy? */
static bool is_of_copy(const struct report *r, unsigned access)
{
    static const char copy[] = "a copy of block";
    return strncmp(access ? r->race->first : r->race->second, copy, strlen(copy)) == 0;
}

/* Compares two reports by how helpful they are to the user. Mistakes come before notes, and causes before
 * consequences. Races of two strong accesses come first, because they cause other races. Races of two
 * copies come after others, because most of them come from a copy that does not wait until threads have
 * read what it overwrites. Races with a known cure come before others. Races in which a read follows a
 * write come before races in which a write follows, unless a copy fills a buffer again too early. Earlier
 * runs come before later ones, and more frequent races before less frequent ones. */
static int by_telling(const void *a, const void *b)
{
    const struct report *x = a, *y = b;
    if (x->is_note != y->is_note)
        return x->is_note - y->is_note;
    if (x->follows_unwritten != y->follows_unwritten)
        return x->follows_unwritten - y->follows_unwritten;
    if (x->race->are_both_strong != y->race->are_both_strong)
        return y->race->are_both_strong - x->race->are_both_strong;
    bool x_refills = is_of_copy(x, 0) && is_of_copy(x, 1), y_refills = is_of_copy(y, 0) && is_of_copy(y, 1);
    if (x_refills != y_refills)
        return x_refills - y_refills;
    if (x->race->is_cure_known != y->race->is_cure_known)
        return y->race->is_cure_known - x->race->is_cure_known;
    bool x_reads = strcmp(x->race->second_does, "reads") == 0 && !x->race->is_refill,
         y_reads = strcmp(y->race->second_does, "reads") == 0 && !y->race->is_refill;
    if (x_reads != y_reads)
        return y_reads - x_reads;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->times != y->times)
        return x->times > y->times ? -1 : 1;
    return strcmp(x->what, y->what);
}

static void find_gap(struct report *r)
{
    const struct trail *first = r->trails[1], *second = r->trails[0];
    struct gap gap = {.both_write = r->race->are_both_writes, .span = r->race->span};
    for (unsigned i = 1; i <= first->count && i <= second->count && gap.first == gap.second; i++) {
        const struct frame *x = &first->frames[first->count - i], *y = &second->frames[second->count - i];
        if (x->source != y->source || x->function != y->function || x->source->origin != SOURCE_OWN)
            break;
        gap.goes_on = x->line < y->line;
        gap.goes_back = x->line > y->line;
        gap.source = x->source;
        gap.function = x->function;
        gap.first = gap.goes_on ? x->line : y->line;
        gap.second = gap.goes_on ? y->line : x->line;
    }
    if (gap.source)
        add_gap(r, &gap);
}

/* Does each line of the report belong to a kernel of CUB or Thrust that no line of the user calls? Some of
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
    /* the lines of launches and of the array's allocation do not belong to the race */
    const char *end;
    const char *const lines[] = {race->second_line, race->first_line};
    r->trail_count = 0;
    for (unsigned i = 0; i < 2; i++)
        if (*lines[i] == MARK_BEGINS)
            r->trails[r->trail_count++] = frames_of(lines[i], &end);
    r->race = race;
    r->race_number = number;
    if (race->is_note || (!race->is_between_tasks && is_of_toolkit(r)))
        make_note(r);
    r->times = race->times;
    r->run = race->run;
    r->mend = *race->mend ? frames_expand(race->mend, NULL, 0, NULL) : NULL;
    if (r->trail_count == 2 && !race->is_cure_known)
        find_gap(r);
}

static void add_rule(size_t number)
{
    struct machine_rule rule = machine_describe_rule(number);
    struct report *r = reports_add(rule.kind, rule.text);
    r->rule = rule.rule;
    r->place = *rule.place ? copy_text(rule.place) : NULL;
    r->mend = *rule.mend ? frames_expand(rule.mend, NULL, 0, NULL) : NULL;
    if (strcmp(rule.kind, "unwritten") == 0 && is_of_toolkit(r))
        make_note(r);
    r->times = rule.times;
    r->run = rule.run;
    r->runs = rule.runs;
}

/* Is the place, as a report's text names it, in this array of a race? */
static bool is_in(const char *place, const char *array)
{
    static const char dynamic[] = "dynamic shared memory";
    if (strstr(place, dynamic))
        return strstr(array, dynamic) != NULL;
    const char *own = *place == '[' ? strstr(place, " of ") + strlen(" of ") : place;
    size_t length = *place == '[' ? strlen(own) : strcspn(own, "[");
    return strlen(array) == length && strncmp(array, own, length) == 0;
}

static bool is_unwritten(const struct report *r)
{
    return strcmp(r->kind, "unwritten") == 0;
}

/* Does `r` report a read of memory that nobody has written, in the array of this race? */
static bool is_unwritten_of(const struct report *r, const struct report *race)
{
    return is_unwritten(r) && r->place && race->race && !race->is_note && is_in(r->place, race->race->array);
}

/* `r` reports a read of memory that nobody has written. Is there a race, from report number `races` on, in
 * the same array or with an access in the same line? `*is_same` tells whether a race is about the same
 * bytes, or about another read of the array in the same line. */
static bool is_of_race(const struct report *r, size_t races, bool *is_same)
{
    bool is_found = false;
    *is_same = false;
    for (size_t i = races; i < count; i++) {
        const struct report *race = &reports[i];
        if (!race->race || race->is_note || !r->place)
            continue;
        bool is_in_array = is_unwritten_of(r, race);
        is_found |= is_in_array;
        *is_same |= strcmp(race->race->place, r->place) == 0 ||
                    (is_in_array && r->trail_count && frames_are_same_line(r->trails[0], race->trails[0]));
        for (unsigned t = 0; r->trail_count && t < race->trail_count; t++)
            is_found |= frames_are_same_line(r->trails[0], race->trails[t]);
    }
    return is_found;
}

/* Nothing leads from one access of the race to the other. Has a thread of its kernel read memory that nobody
 * has written, in another array, which a race explains? Then this value may have led the thread there. */
static bool follows_unwritten(const struct report *r, size_t races)
{
    for (size_t u = 0; !r->race->is_cure_known && u < races; u++)
        for (size_t i = races; i < count; i++)
            if (is_unwritten_of(&reports[u], &reports[i]) && !is_unwritten_of(&reports[u], r) &&
                strcmp(reports[u].kernel, r->kernel) == 0 && strcmp(reports[i].kernel, r->kernel) == 0)
                return true;
    return false;
}

/* The report is of a read of the race's array before the write. A barrier that lets the read come after the
 * write comes before the read's line, too. */
static void narrow_gaps(struct report *race, const struct report *unwritten)
{
    const struct trail *trail = trail_at(unwritten, 0);
    bool has_written = strcmp(race->race->first_did, "wrote") == 0,
         writes = strcmp(race->race->second_does, "reads") != 0;
    for (size_t g = 0; g < race->gap_count; g++)
        for (unsigned f = 0; trail && f < trail->count; f++) {
            struct gap *gap = &race->gaps[g];
            const struct frame *read = &trail->frames[f];
            if (read->source == gap->source && read->function == gap->function && gap->first < read->line &&
                read->line < gap->second && ((gap->goes_on && has_written) || (gap->goes_back && writes)))
                gap->second = read->line;
        }
}

/* Does the report name a line at which a race's mend changes something, such as a wait? */
static bool is_at_mend(const struct report *r, const struct report *race)
{
    const struct trail *mended[MOST_TRAILS];
    unsigned mends = 0;
    bool is_found = false;
    free(frames_expand(race->race->mend, mended, MOST_TRAILS, &mends));
    for (unsigned m = 0; m < mends; m++)
        for (unsigned t = 0; t < r->trail_count; t++)
            is_found |= frames_are_same_line(mended[m], r->trails[t]);
    return is_found;
}

/* May the mistake be a consequence of a race? If only some of the runs have it, it depends on the schedule,
 * as what threads do after a race does. */
static bool is_consequence(const struct report *r, unsigned runs)
{
    for (size_t i = 0; i < count; i++)
        if (reports[i].race && !reports[i].is_note &&
            (!*r->kernel || strcmp(reports[i].kernel, r->kernel) == 0) &&
            (r->runs < runs || is_at_mend(r, &reports[i])))
            return true;
    return false;
}

static void add_text(struct report *r, const char *text)
{
    r->what = reallocate(r->what, strlen(r->what) + strlen(text) + 1);
    strcat(r->what, text);
}

void reports_note_consequence(struct report *r, unsigned runs)
{
    if (!r->is_note && is_consequence(r, runs))
        add_text(r, "; perhaps a consequence of the race above");
}

/* Puts broken rules, and reads of memory that nobody has written, after the races that may be their cause. */
static void causes_first(size_t races, unsigned runs)
{
    for (size_t i = 0, left = races; left--;) {
        struct report r = reports[i];
        bool is_same = false;
        if (!(is_unwritten(&r) ? is_of_race(&r, races, &is_same) : is_consequence(&r, runs))) {
            i++;
            continue;
        }
        if (is_same)
            add_text(&r, "; perhaps a consequence of the race above, which is of this array");
        else if (!is_unwritten(&r))
            reports_note_consequence(&r, runs);
        memmove(&reports[i], &reports[i + 1], (count - i - 1) * sizeof r);
        reports[count - 1] = r;
        races--;
    }
}

void reports_collect(unsigned runs)
{
    for (size_t i = 0; i < machine_rules(); i++)
        add_rule(i);
    leave_one_of_each(0);
    size_t races = count;
    for (size_t i = 0; i < machine_races(); i++)
        add_race(i);
    for (size_t i = races; i < count; i++)
        reports[i].follows_unwritten = follows_unwritten(&reports[i], races);
    if (count > races)
        qsort(reports + races, count - races, sizeof *reports, by_telling);
    leave_one_of_each(races);
    for (size_t u = 0; u < races; u++)
        for (size_t i = races; i < count; i++)
            if (is_unwritten_of(&reports[u], &reports[i]))
                narrow_gaps(&reports[i], &reports[u]);
    causes_first(races, runs);
}

/* ---- one finding for each missing order ---- */

static bool share_line(const struct report *a, const struct report *b)
{
    for (unsigned i = 0; i < 4; i++)
        if (frames_are_same_line(a->trails[i / 2], b->trails[i % 2]))
            return true;
    return false;
}

/* A gap is where a barrier is missing between two lines. Would one barrier close both gaps? Or, if both gaps
 * belong to one array, would a row of barriers close them, one before each access? */
static bool share_barrier(const struct gap *a, const struct gap *b, bool is_one_array)
{
    unsigned first = a->first > b->first ? a->first : b->first,
             second = a->second < b->second ? a->second : b->second;
    return a->source == b->source && a->function == b->function &&
           (a->span == RACE_IN_GRID) == (b->span == RACE_IN_GRID) &&
           (first < second || (is_one_array && first == second));
}

static bool share_barriers(const struct report *a, const struct report *b)
{
    bool is_one_array = strcmp(a->race->array, b->race->array) == 0;
    for (size_t i = 0; i < a->gap_count; i++)
        for (size_t j = 0; j < b->gap_count; j++)
            if (share_barrier(&a->gaps[i], &b->gaps[j], is_one_array))
                return true;
    return is_one_array && a->gap_count && b->gap_count && share_line(a, b) &&
           (a->race->span == RACE_IN_GRID) == (b->race->span == RACE_IN_GRID);
}

/* Do both reports have accesses of one array that race with a later (0) or earlier (1) copy of one line? */
static bool share_copy(const struct report *a, const struct report *b, unsigned access)
{
    return a->trail_count == 2 && b->trail_count == 2 &&
           frames_are_same_line(a->trails[access], b->trails[access]) && is_of_copy(a, access) &&
           is_of_copy(b, access) && strcmp(a->race->array, b->race->array) == 0;
}

static bool share_mend(const struct report *a, const struct report *b)
{
    if (!a->race || !b->race || a->suppressed_by || b->suppressed_by || a->is_note != b->is_note ||
        strcmp(a->kernel, b->kernel) != 0)
        return false;
    bool names_line = strchr(a->race->mend, MARK_BEGINS) || strcmp(a->race->array, b->race->array) == 0;
    if (a->race->is_cure_known && b->race->is_cure_known)
        return strcmp(a->mend, b->mend) == 0 && names_line;
    return share_barriers(a, b) ||
           (a->race->is_cure_known != b->race->is_cure_known && (share_copy(a, b, 0) || share_copy(a, b, 1)));
}

/* Groups reports into findings: two reports that share a mend belong to one finding, and so do two reports
 * that each share a mend with a third one. Only the first report of a finding is printed. */
static void group(void)
{
    for (size_t i = 0; i < count; i++) {
        reports[i].finding = i;
        for (size_t j = 0; j < i; j++) {
            size_t one = reports[i].finding, other = reports[j].finding;
            if (one == other || !share_mend(&reports[i], &reports[j]))
                continue;
            for (size_t k = 0; k <= i; k++)
                if (reports[k].finding == one || reports[k].finding == other)
                    reports[k].finding = one < other ? one : other;
        }
    }
    for (size_t i = 0; i < count; i++)
        reports[reports[i].finding].others += reports[i].finding != i;
}

/* ---- where a barrier is missing ---- */

#define MOST_PLACES 6 /* largest number of places that a finding names */

/* A place where a barrier is missing: between the lines of the gap, or within them if they are one line. */
struct place {
    struct gap gap;
    /* the loop between whose rounds the barrier is missing; its `first` is 0 if it is within a round */
    struct source_loop loop;
};

struct places {
    size_t count;
    struct place *all;
};

/* Do several threads change one place of memory in one line? Then no barrier helps. */
static bool is_change(const struct gap *gap)
{
    return gap->both_write && gap->first == gap->second;
}

static void add_place(struct places *places, const struct gap *gap, struct source_loop loop)
{
    places->all = with_room(places->all, sizeof *places->all, places->count, 1);
    places->all[places->count++] = (struct place){*gap, loop};
}

/* Lets a barrier of the place close the gap, too. */
static void widen(struct gap *place, const struct gap *gap)
{
    place->span = gap->span > place->span ? gap->span : place->span;
    place->both_write |= gap->both_write;
}

/* Adds a barrier between the lines of a gap, unless a barrier that was added before lies between them. The
 * gaps come in the order of their second lines. */
static void add_between(struct places *places, const struct gap *gap)
{
    for (size_t i = 0; i < places->count; i++) {
        struct gap *place = &places->all[i].gap;
        if (place->source != gap->source || place->function != gap->function ||
            (place->first == place->second) != (gap->first == gap->second))
            continue;
        if (gap->first == gap->second ? place->first != gap->first : place->second <= gap->first)
            continue;
        place->first = place->first > gap->first ? place->first : gap->first;
        widen(place, gap);
        return;
    }
    add_place(places, gap, (struct source_loop){0, 0});
}

/* Adds a barrier between two rounds of the loop that contains a gap, unless a barrier that was added before
 * lies in other lines of the loop. */
static void add_around(struct places *places, const struct gap *gap, struct source_loop loop)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = &places->all[i];
        const struct gap *other = &place->gap;
        if (other->source != gap->source)
            continue;
        if (place->loop.first == loop.first) {
            if (gap->second > other->second)
                places->all[i].gap.second = gap->second;
            widen(&places->all[i].gap, gap);
            return;
        }
        if (!place->loop.first && loop.first <= other->first && other->second <= loop.last &&
            other->first < other->second && (other->first >= gap->second || other->second <= gap->first))
            return;
    }
    add_place(places, gap, loop);
}

/* Has a thread come to a barrier between these lines of the gap's function, or in a function called there? */
static bool has_barrier(const struct gap *gap, unsigned first, unsigned last)
{
    char line[MOST_MARK];
    const char *end;
    for (size_t i = 0; i < machine_barriers(); i++) {
        if (machine_describe_barrier(i, line) < gap->span || *line != MARK_BEGINS)
            continue;
        const struct trail *trail = frames_of(line, &end);
        for (unsigned f = 0; f < trail->count; f++)
            if (trail->frames[f].source == gap->source && trail->frames[f].function == gap->function &&
                trail->frames[f].line >= first && trail->frames[f].line <= last)
                return true;
    }
    return false;
}

static int by_second_line(const void *a, const void *b)
{
    const struct gap *x = *(const struct gap *const *)a, *y = *(const struct gap *const *)b;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Returns whether a barrier is missing: if `is_around`, between two rounds of the loop that has the gap's
 * lines, otherwise between the lines themselves. Accesses that nothing orders may come in either order, so a
 * place that has a barrier lacks none. If both places have one, the order in which the accesses came
 * decides. */
static bool lacks_barrier(const struct gap *gap, struct source_loop loop, bool is_around)
{
    if (!loop.first || gap->first == gap->second)
        return !is_around;
    bool is_within = has_barrier(gap, gap->first + 1, gap->second - 1),
         is_outside =
             has_barrier(gap, loop.first, gap->first - 1) || has_barrier(gap, gap->second + 1, loop.last);
    if (is_within && is_outside)
        return is_around == !gap->goes_on;
    return is_around ? !is_outside && gap->goes_back : !is_within;
}

/* Finds few barriers that close all gaps. */
static struct places find_places(const struct gap **gaps, size_t number)
{
    struct places places = {0, NULL};
    qsort(gaps, number, sizeof *gaps, by_second_line);
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < number; i++) {
            struct source_loop loop = source_loop_of(gaps[i]->source, gaps[i]->first, gaps[i]->second);
            bool is_around = pass > 0;
            if (lacks_barrier(gaps[i], loop, is_around))
                (is_around ? add_around(&places, gaps[i], loop) : add_between(&places, gaps[i]));
        }
    return places;
}

/* Writes a place. Leaves out the file if the preceding place is in the same file, and the kind of barrier if
 * the preceding place needs the same kind. */
static void tell_place(const struct place *place, const struct place *before, char *text, size_t size)
{
    static const char *const barriers[] = {"__syncwarp() ", "__syncthreads(), or a flag, ",
                                           "a barrier or a flag "};
    const struct gap *gap = &place->gap;
    bool is_same_file = before && before->gap.source == gap->source;
    bool is_same_barrier = before && before->gap.span == gap->span && !is_change(&before->gap);
    const char *file = is_same_file ? "" : gap->source->shown,
               *barrier = is_same_barrier ? "" : barriers[gap->span];
    if (is_change(gap))
        snprintf(text, size, "one atomic operation at %s:%u, or one thread that does it", file, gap->first);
    else if (place->loop.first)
        snprintf(text, size, "%safter %s:%u, before the loop at :%u goes round", barrier, file, gap->second,
                 place->loop.first);
    else if (gap->first == gap->second)
        snprintf(text, size, "%swithin %s:%u, between its read and its write", barrier, file, gap->first);
    else
        snprintf(text, size, "%sbetween %s:%u and :%u", barrier, file, gap->first, gap->second);
}

/* Writes into the mend of a finding between which lines its barriers are missing. */
static void tell_places(struct report *finding, const struct places *places)
{
    char text[2048] = "";
    size_t used = 0, told = places->count < MOST_PLACES ? places->count : MOST_PLACES;
    for (size_t i = 0; i < told; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", i ? "; " : "");
        tell_place(&places->all[i], i ? &places->all[i - 1] : NULL, text + used, sizeof text - used);
        used += strlen(text + used);
    }
    if (places->count > told)
        used += (size_t)snprintf(text + used, sizeof text - used, "; and at %zu more places",
                                 places->count - told);
    snprintf(text + used, sizeof text - used, "%s", finding->race->strong_mend);
    free(finding->mend);
    finding->mend = frames_expand(text, NULL, 0, NULL);
    reports_drop_allocations(finding->mend);
}

static void mend_finding(size_t number)
{
    const struct gap **gaps = NULL;
    size_t found = 0;
    bool is_told = false;
    for (size_t i = number; i < count; i++)
        for (size_t g = 0; reports[i].finding == number && g < reports[i].gap_count; g++) {
            const struct gap *gap = &reports[i].gaps[g];
            gaps = with_room(gaps, sizeof *gaps, found, 1);
            gaps[found++] = gap;
            is_told |= gap->span != RACE_IN_GRID || is_change(gap);
        }
    if (is_told && !reports[number].race->is_cure_known) {
        struct places places = find_places(gaps, found);
        tell_places(&reports[number], &places);
        free(places.all);
    }
    free(gaps);
}

/* Nothing leads from one access of the race to the other. Did it come later than a race of the kernel in
 * which a thread reads what lacks only a fence? Then threads may meet because one of them has got an old
 * value, such as a task that is not its own. */
static bool follows_old_value(const struct report *r)
{
    for (size_t i = 0; r->race && !r->race->is_cure_known && !r->is_note && i < count; i++)
        if (&reports[i] < r && reports[i].race && reports[i].race->is_cure_known && !reports[i].is_note &&
            reports[i].run < r->run && strcmp(reports[i].race->second_does, "reads") == 0 &&
            strcmp(reports[i].kernel, r->kernel) == 0)
            return true;
    return false;
}

/* ---- which reports count ---- */

void reports_suppress(void)
{
    for (size_t i = 0; i < count; i++) {
        struct report *r = &reports[i];
        r->suppressed_by = suppression_of(r->kind, r->trails, r->trail_count, r->kernel);
    }
    group();
    for (size_t i = 0; i < count; i++)
        if (reports[i].finding == i)
            mend_finding(i);
    for (size_t i = 0; i < count; i++)
        if (reports[i].finding == i && (reports[i].follows_unwritten || follows_old_value(&reports[i])))
            add_text(&reports[i], "; perhaps a consequence of the race above");
}

size_t reports_count(void)
{
    return count;
}

void reports_give_schedule(size_t number, const struct short_schedule *schedule)
{
    reports[number].schedule = schedule;
    bool has_race = is_consequence(&reports[number], UINT_MAX);
    if (schedule && *schedule->mend && !reports[number].mend && !reports[number].race && !has_race)
        reports[number].mend = copy_text(schedule->mend);
}

const struct report *reports_at(size_t number)
{
    return &reports[number];
}

size_t reports_of(const char *kind)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += !reports[i].suppressed_by && !reports[i].is_note && reports[i].finding == i &&
                 (!kind || strcmp(reports[i].kind, kind) == 0);
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
    fprintf(file, "covered: %llu steps; ", steps);
    if (orders.pairs)
        fprintf(file, "%zu of %zu pairs of accesses in both orders%s%s", orders.both, orders.pairs,
                orders.all ? "" : " (of those that were noted: there are more)",
                orders.both == orders.pairs
                    ? ""
                    : ", the others in the one that the program gives or no run turned");
    else
        fprintf(file,
                orders.all ? "no pair of accesses of two warps" : "pairs of accesses are too many to note");
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
