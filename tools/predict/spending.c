#include "tools/predict/spending.h"
#include "base/memory.h"
#include "tools/check/frames.h"
#include "machine/machine.h"
#include "machine/ptx.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- called in the program's process ---- */

/* For each kernel: the number of the row, plus one, for each entry of machine_spent(). The numbers of these
 * entries never change. */
struct places {
    unsigned *rows;
    size_t room;
};
static struct places *places;
static size_t kernel_count;

const void *spending_stable(const void *at)
{
    uint32_t place = at ? ptx_place_of(at) : 0;
    return place ? (const void *)(uintptr_t)place : at;
}

static struct spent_row *row_of(struct spending *into, unsigned kernel, size_t entry,
                                const struct machine_spent *spent)
{
    if (kernel >= kernel_count) {
        size_t more = kernel + 1 - kernel_count;
        places = with_room(places, sizeof *places, kernel_count, more);
        memset(places + kernel_count, 0, more * sizeof *places);
        kernel_count = kernel + 1;
    }
    struct places *of = &places[kernel];
    if (entry >= of->room) {
        size_t room = 2 * entry + 64;
        of->rows = reallocate(of->rows, room * sizeof *of->rows);
        memset(of->rows + of->room, 0, (room - of->room) * sizeof *of->rows);
        of->room = room;
    }
    if (!of->rows[entry]) {
        if (into->count < MOST_SPENT_ROWS)
            into->rows[into->count++] = (struct spent_row){.kernel = kernel,
                                                           .at = spending_stable(spent->at),
                                                           .whom = spending_stable(spent->whom),
                                                           .reason = spent->reason};
        of->rows[entry] = (unsigned)into->count;
    }
    return &into->rows[of->rows[entry] - 1];
}

uint64_t spending_add(struct spending *into, unsigned kernel)
{
    size_t count;
    uint64_t warps;
    const struct machine_spent *spent = machine_spent(&count, &warps);
    for (size_t i = 0; i < count; i++) {
        if (!spent[i].path && !spent[i].warps)
            continue;
        struct spent_row *row = row_of(into, kernel, i, &spent[i]);
        row->path += (double)spent[i].path;
        row->warps += (double)spent[i].warps;
    }
    return warps;
}

static enum bottleneck bottleneck_of(enum machine_reason reason)
{
    switch (reason) {
    case SPENT_WORK:
        return COMPUTING;
    case SPENT_MEMORY:
    case SPENT_L1:
    case SPENT_SHARED:
        return MEMORY_ACCESS;
    case SPENT_OUTSIDE:
        return LAUNCHES;
    default:
        return HAND_OVER;
    }
}

void time_parts_add(struct time_parts *sum, const struct time_parts *parts)
{
    sum->units += parts->units;
    for (unsigned r = 0; r < SPENT_REASONS; r++)
        sum->of[r] += parts->of[r];
}

void taken_add(struct taken *sum, const struct taken *more)
{
    sum->instructions += more->instructions;
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        sum->slots[u] += more->slots[u];
    sum->groups += more->groups;
    sum->l2_misses += more->l2_misses;
    sum->shared += more->shared;
}

void time_parts_add_launch(struct time_parts *parts, struct taken *taken)
{
    static struct machine_counters before;
    const struct machine_counters *now = machine_get_counters();
    size_t count;
    uint64_t warps;
    const struct machine_spent *spent = machine_spent(&count, &warps);
    for (size_t i = 0; i < count; i++)
        parts->of[spent[i].reason] += (double)spent[i].path;
    taken->instructions += (double)(now->instructions - before.instructions);
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        taken->slots[u] += (double)(now->unit_slots[u] - before.unit_slots[u]);
    taken->groups += (double)(now->transactions - before.transactions);
    taken->l2_misses += (double)(now->l2_misses - before.l2_misses);
    taken->shared += (double)(now->shared_loads + now->shared_stores + now->bank_conflicts -
                              before.shared_loads - before.shared_stores - before.bank_conflicts);
    before = *now;
}

/* ---- called in the tool's process ---- */

const char *const bottleneck_names[BOTTLENECKS] = {"computing", "memory", "hand-over", "launch"};

static enum bottleneck largest_of(const double times[BOTTLENECKS])
{
    enum bottleneck largest = COMPUTING;
    for (enum bottleneck b = 0; b < BOTTLENECKS; b++)
        largest = times[b] > times[largest] ? b : largest;
    return times[largest] > 0 ? largest : BOTTLENECKS;
}

enum bottleneck time_parts_by_bottleneck(const struct time_parts *parts, double times[BOTTLENECKS])
{
    memset(times, 0, BOTTLENECKS * sizeof *times);
    for (enum machine_reason r = 0; r < SPENT_REASONS; r++)
        times[bottleneck_of(r)] += parts->of[r];
    return largest_of(times);
}

void time_parts_text(const struct time_parts *parts, char *text, size_t size)
{
    double times[BOTTLENECKS], all = 0;
    enum bottleneck largest;
    size_t length = 0;
    time_parts_by_bottleneck(parts, times);
    for (unsigned b = 0; b < BOTTLENECKS; b++)
        all += times[b];
    for (*text = '\0'; (largest = largest_of(times)) < BOTTLENECKS && times[largest] >= 0.01 * all;
         times[largest] = 0)
        length += (size_t)snprintf(text + length, size - length, "%s%s %.0f %%", length ? ", " : "",
                                   bottleneck_names[largest], 100 * times[largest] / all);
}

/* From this share of its time on, a unit counts as busy. */
#define BUSY 0.5

void time_parts_unit(const struct time_parts *parts, const struct taken *taken, unsigned used, char *text,
                     size_t size)
{
    static const char *const units[MACHINE_UNITS] = {"issue slots", "integer units (ALU)",
                                                     "units for double precision (FP64)",
                                                     "units for special functions (MUFU)"};
    const struct machine_description *d = machine_installed();
    double times[BOTTLENECKS], all = parts->units * used;
    enum bottleneck bottleneck = time_parts_by_bottleneck(parts, times);
    unsigned unit = 0;
    for (unsigned u = 0; u < MACHINE_UNITS; u++)
        unit = taken->slots[u] > taken->slots[unit] ? u : unit;
    double issued = fmin(1, 1000 * taken->instructions / (all * d->issue_per_1000_units)),
           dram = 1000 * taken->l2_misses / (parts->units * d->global_groups_per_1000_units),
           l2 = !d->l2_groups_per_1000_units
                    ? 0
                    : 1000 * taken->groups / (parts->units * d->l2_groups_per_1000_units),
           bandwidth = fmax(dram, l2), shared = taken->shared / all;
    *text = '\0';
    if (bottleneck == COMPUTING && issued >= BUSY)
        snprintf(text, size, "the %s are taken %.0f %% of the time", units[unit], 100 * issued);
    else if (bottleneck == COMPUTING)
        snprintf(text, size,
                 "instructions wait for earlier ones: no unit is taken more than %.0f %% of the time",
                 100 * issued);
    else if (bottleneck != MEMORY_ACCESS)
        return;
    else if (parts->of[SPENT_SHARED] > fmax(parts->of[SPENT_MEMORY], parts->of[SPENT_L1]))
        snprintf(text, size, "the %s of shared memory, whose pipeline (LSU) is taken %.0f %% of the time",
                 shared >= BUSY ? "throughput" : "latency", 100 * shared);
    else if (parts->of[SPENT_L1] > parts->of[SPENT_MEMORY])
        snprintf(text, size, "the latency of L1");
    else
        snprintf(text, size, "the %sbandwidth of %s%s is taken %.0f %%",
                 bandwidth >= BUSY ? "" : "latency of L2; the ", dram < l2 ? "L2" : "DRAM",
                 bandwidth >= BUSY ? ", which" : "", 100 * bandwidth);
}

/* The first byte of the program in memory; the linker defines the symbol. */
extern const char __executable_start[];

static const struct trail *trail_of(const void *at)
{
    Dl_info info;
    char mark[64];
    const char *end;
    bool is_ptx = (uintptr_t)at <= UINT32_MAX && ptx_is_place((uint32_t)(uintptr_t)at);
    const void *base = is_ptx                              ? NULL
                       : dladdr(__executable_start, &info) ? info.dli_fbase
                                                           : __executable_start;
    snprintf(mark, sizeof mark, "%c%lx%c", MARK_BEGINS, (unsigned long)((uintptr_t)at - (uintptr_t)base),
             MARK_ENDS);
    return frames_of(mark, &end);
}

void spending_line(const void *at, char *text, size_t size)
{
    if (at)
        frames_line(trail_of(at), text, size);
    else
        snprintf(text, size, "no line is known");
}

#define MOST_SHOWN 40 /* largest number of bytes that are shown of a line's text */

/* Writes the line as spending_line() does, followed by the source text of this line. */
static void line_with_text(const void *at, char *text, size_t size)
{
    spending_line(at, text, size);
    const struct frame *frame = at ? frames_named(trail_of(at)) : NULL;
    const char *shown = frame ? source_text(frame->source, frame->line) : "";
    shown += strspn(shown, " \t");
    size_t length = strlen(text);
    if (*shown)
        snprintf(text + length, size - length, "  %.*s%s", MOST_SHOWN, shown,
                 strlen(shown) > MOST_SHOWN ? "..." : "");
}

/* The columns of a table. */
enum { TOTAL, WORK, MEMORY, WAITING, BARRIER, COLUMNS };

static unsigned column_of(enum machine_reason reason)
{
    switch (reason) {
    case SPENT_WORK:
        return WORK;
    case SPENT_MEMORY:
    case SPENT_L1:
    case SPENT_SHARED:
    case SPENT_ORDER:
        return MEMORY;
    case SPENT_BARRIER:
        return BARRIER;
    default:
        return WAITING;
    }
}

#define MOST_LINE 256
/* A line of the source. Its parts are the lines for which it waits. */
struct part {
    char whom[MOST_LINE];
    double units;
};
struct line {
    char text[MOST_LINE];
    double units[COLUMNS];
    struct part *parts;
    size_t part_count;
};
struct lines {
    struct line *all;
    size_t count;
};

static struct line *line_of(struct lines *lines, const char *text)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->all[i].text, text) == 0)
            return &lines->all[i];
    lines->all = with_room(lines->all, sizeof *lines->all, lines->count, 1);
    struct line *line = &lines->all[lines->count++];
    *line = (struct line){0};
    snprintf(line->text, sizeof line->text, "%s", text);
    return line;
}

static void add_part(struct line *line, const char *whom, double units)
{
    size_t i = 0;
    while (i < line->part_count && strcmp(line->parts[i].whom, whom) != 0)
        i++;
    if (i == line->part_count) {
        line->parts = with_room(line->parts, sizeof *line->parts, line->part_count++, 1);
        line->parts[i] = (struct part){0};
        snprintf(line->parts[i].whom, sizeof line->parts[i].whom, "%s", whom);
    }
    line->parts[i].units += units;
}

static void add_row(struct lines *lines, const struct spent_row *row, double units)
{
    char text[MOST_LINE], whom[MOST_LINE], stores[MOST_LINE - 64];
    if (row->reason == SPENT_OUTSIDE)
        snprintf(text, sizeof text, "before the block begins");
    else
        line_with_text(row->at, text, sizeof text);
    struct line *line = line_of(lines, text);
    line->units[TOTAL] += units;
    line->units[column_of(row->reason)] += units;
    if (column_of(row->reason) != WAITING || !row->at)
        return;
    if (row->whom)
        spending_line(row->whom, stores, sizeof stores);
    if (row->reason == SPENT_UNIT)
        snprintf(whom, sizeof whom, "for the atomic unit, which serves other atomics");
    else if (row->reason == SPENT_SLEEP)
        snprintf(whom, sizeof whom, "asleep");
    else
        snprintf(whom, sizeof whom, "for a store at %s", stores);
    add_part(line, whom, units);
}

static int longer_first(const void *a, const void *b)
{
    double x = ((const struct line *)a)->units[TOTAL], y = ((const struct line *)b)->units[TOTAL];
    return x == y ? strcmp(((const struct line *)a)->text, ((const struct line *)b)->text) : x < y ? 1 : -1;
}

static void print_row(const double units[COLUMNS], double per, const char *text)
{
    for (unsigned c = 0; c < COLUMNS; c++)
        if (units[c] != 0 || c == TOTAL)
            fprintf(stderr, "%10.3f", units[c] / per);
        else
            fprintf(stderr, "%10s", "-");
    fprintf(stderr, "  %s\n", text);
}

#define TOP 10 /* number of lines that a table shows */

/* Prints the lines, and a last row with their sums. Times are divided by `per`. */
static void print_lines(struct lines *lines, double per)
{
    double others[COLUMNS] = {0}, sum[COLUMNS] = {0};
    char text[64];
    fprintf(stderr, "%10s%10s%10s%10s%10s  line\n", "total, us", "work", "accesses", "waiting", "barrier");
    qsort(lines->all, lines->count, sizeof *lines->all, longer_first);
    for (size_t i = 0; i < lines->count; i++) {
        struct line *line = &lines->all[i];
        for (unsigned c = 0; c < COLUMNS; c++) {
            sum[c] += line->units[c];
            others[c] += i < TOP ? 0 : line->units[c];
        }
        if (i < TOP)
            print_row(line->units, per, line->text);
        for (size_t p = 0; i < TOP && p < line->part_count; p++)
            fprintf(stderr, "%30s%10.3f%10s    %s\n", "", line->parts[p].units / per, "",
                    line->parts[p].whom);
        free(line->parts);
    }
    if (lines->count > TOP) {
        snprintf(text, sizeof text, "%zu other lines", lines->count - TOP);
        print_row(others, per, text);
    }
    print_row(sum, per, "all lines");
    free(lines->all);
}

void spending_print(const struct spending *of, const struct spending_kernel *kernel, double units_per_us)
{
    struct lines path = {0}, warps = {0};
    for (size_t i = 0; i < of->count; i++) {
        const struct spent_row *row = &of->rows[i];
        if (row->kernel != kernel->number)
            continue;
        if (row->path > 0)
            add_row(&path, row, row->path);
        if (row->warps > 0)
            add_row(&warps, row, row->warps);
    }
    if (!warps.count)
        return;
    fprintf(stderr, "gpusync-predict: %s: the critical path:\n", kernel->text);
    print_lines(&path, kernel->launches * units_per_us);
    fprintf(stderr, "gpusync-predict: %s: a warp, the mean of %.0f:\n", kernel->text,
            kernel->warps / kernel->launches);
    print_lines(&warps, kernel->warps * units_per_us);
}

void spending_print_most(const struct spending *of, const struct spending_kernel *kernel, size_t most)
{
    struct lines path = {0};
    double all = 0;
    for (size_t i = 0; i < of->count; i++) {
        const struct spent_row *row = &of->rows[i];
        if (row->kernel != kernel->number || !(row->path > 0))
            continue;
        add_row(&path, row, row->path);
        all += row->path;
    }
    qsort(path.all, path.count, sizeof *path.all, longer_first);
    for (size_t i = 0; i < path.count; i++) {
        const char *text = path.all[i].text, *end = strstr(text, "  ");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (i < most)
            fprintf(stderr, "%s%.*s (%.0f %%)", i ? ", " : "", (int)length, text,
                    100 * path.all[i].units[TOTAL] / all);
        free(path.all[i].parts);
    }
    free(path.all);
}

void not_modelled_note(struct not_modelled *into)
{
    static uint64_t before;
    const struct machine_counters *c = machine_get_counters();
    double line = 4 * machine_installed()->global_width, moved = (double)(c->transactions - before) * line;
    into->uses = machine_used();
    before = c->transactions;
    if (moved > into->moved) {
        into->moved = moved;
        into->held = (double)into->uses.allocated_bytes;
    }
}

/* From compute capability 7.0 on, an instruction has 16 bytes and a multiprocessor's instruction cache 128
 * KiB (Jia et al. 2018, Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking). */
#define CACHED_INSTRUCTIONS 8192

static unsigned named;

static void name(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void name(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, named++ ? "; " : "gpusync-predict: not modelled, and used here: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void not_modelled_print(const struct not_modelled *of)
{
    const struct machine_uses *uses = &of->uses;
    double mib = 1 << 20, l2 = machine_installed()->l2_bytes,
           through = of->moved < of->held ? of->moved : of->held;
    named = 0;
    if (uses->async_copies)
        name("asynchronous copies (cp.async, TMA), whose latency is a guess and which take no bandwidth");
    if (uses->textures)
        name("textures, which are taken as plain loads");
    if (uses->cluster_memory && !machine_installed()->cluster_load_latency)
        name("shared memory of other blocks of a cluster, which is taken as near as L2: it was not measured");
    if (uses->managed_memory)
        name("managed memory, whose pages do not migrate: it is taken as the device's own memory");
    if (l2 > 0 && through > l2)
        name("L2 misses: a launch goes through up to %.0f MiB, and L2 has %g", through / mib, l2 / mib);
    if (machine_installed()->compute_capability >= 70 && uses->instructions > CACHED_INSTRUCTIONS)
        name("the instruction cache: a kernel has about %llu instructions, and it holds %d",
             (unsigned long long)uses->instructions, CACHED_INSTRUCTIONS);
    if (named)
        fprintf(stderr, "\n");
}
