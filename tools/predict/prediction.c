#include "tools/predict/prediction.h"
#include "base/failure.h"
#include "base/memory.h"
#include "tools/check/checked_program.h"
#include "tools/check/frames.h"
#include "tools/predict/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct prediction *prediction_new(void)
{
    void *shared = mmap(NULL, sizeof(struct prediction), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED)
        fail(EXIT_CANNOT, "out of memory");
    return shared;
}

/* ---- functions that execute in the program's process ---- */

static struct prediction *noted;
static struct prediction_asked asked_for;

static bool is_alike(const struct machine_launched *a, const struct machine_launched *b)
{
    return strcmp(a->name, b->name) == 0 && a->blocks == b->blocks && a->threads == b->threads;
}

/* For each launch that has ended: its end, and the sums of all launches so far. */
static struct so_far {
    uint64_t end;
    struct time_parts sum;
} * so_far;
static size_t so_far_count;

/* Returns the sums of all launches that had ended at this time. */
static struct time_parts sum_until(uint64_t time)
{
    size_t first = 0, last = so_far_count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        if (so_far[middle].end <= time)
            first = middle + 1;
        else
            last = middle;
    }
    return first ? so_far[first - 1].sum : (struct time_parts){0};
}

/* Notes a time that the program measures. Its parts are not known if no launch is in it, or if launches
 * overlapped. */
static void add_measured(uint64_t from, uint64_t to)
{
    struct time_parts parts = sum_until(to), before = sum_until(from);
    double all = (double)(to - from), in_kernels = parts.units - before.units;
    if (noted->measured_count++ >= MOST_TIMES)
        return;
    for (unsigned r = 0; r < SPENT_REASONS; r++)
        parts.of[r] -= before.of[r];
    if (in_kernels > 0 && in_kernels < all)
        parts.of[SPENT_OUTSIDE] += all - in_kernels;
    parts.units = all;
    noted->measured[noted->measured_count - 1] = parts;
}

static void add_launch(const struct machine_launched *launched)
{
    size_t i = 0;
    struct time_parts time = {.units = (double)launched->units};
    struct taken taken = {0};
    time_parts_add_launch(&time, &taken);
    so_far = with_room(so_far, sizeof *so_far, so_far_count, 1);
    so_far[so_far_count].sum = sum_until(UINT64_MAX);
    so_far[so_far_count].end = machine_now();
    time_parts_add(&so_far[so_far_count++].sum, &time);
    if (!noted->ended++)
        noted->began = machine_now() - launched->units;
    noted->end = machine_now();
    not_modelled_note(&noted->not_modelled);
    while (i < noted->count && !is_alike(&noted->all[i].first, launched))
        i++;
    if (i == MOST_LAUNCHES) {
        noted->untold++;
        return;
    }
    struct launches *of = &noted->all[i];
    if (i == noted->count) {
        of->first = *launched;
        noted->count++;
    }
    time_parts_add(&of->time, &time);
    taken_add(&of->taken, &taken);
    of->count++;
    of->warps += (double)spending_add(&noted->spending, (unsigned)i);
    if (asked_for.timeline)
        timeline_launch(launched);
}

void prediction_ends(void)
{
    noted->left_out = *machine_left_out_so_far();
    machine_program_ends();
}

static void note_way(int number)
{
    (void)number;
    noted->is_in_kernel = machine_under_way(&noted->under_way);
}

static void __attribute__((noreturn)) stop(void)
{
    note_way(0);
    snprintf(noted->standing, sizeof noted->standing, "%s", machine_where(NULL, true));
    _exit(EXIT_UNFINISHED);
}

static void end_now(int number)
{
    note_way(number);
    machine_interrupt(stop);
}

/* The prediction before a kernel waited in vain. If that kernel never ends, it and later kernels have no
 * time. */
static struct prediction *before;

static void keep(const char *hang)
{
    before = before ? before : allocate(sizeof *before);
    memcpy(before, noted, sizeof *before);
    snprintf(before->hang, sizeof before->hang, "%s", hang);
    if (asked_for.timeline)
        timeline_keep();
}

static void end_in_hang(void)
{
    memcpy(noted, before, sizeof *noted);
    if (asked_for.timeline)
        timeline_restore();
    fflush(stdout);
    _exit(EXIT_DEADLOCK);
}

void prediction_note(struct prediction *into, const struct prediction_asked *asked)
{
    const struct sigaction tell = {.sa_handler = note_way, .sa_flags = SA_RESTART},
                           end = {.sa_handler = end_now, .sa_flags = SA_RESTART};
    noted = into;
    asked_for = *asked;
    machine_note_spent(true, asked->timeline ? timeline_span : NULL);
    machine_watch_launches(add_launch);
    machine_watch_elapsed(add_measured);
    machine_watch_hangs(keep, end_in_hang);
    sigaction(TELL, &tell, NULL);
    sigaction(END_NOW, &end, NULL);
}

/* ---- functions that execute in the tool's process ---- */

#define LEAST_POINTS 20 /* with fewer points of a bottleneck, the interval is that of all points */

/* Returns the interval of a time, or NULL if the device's error is not known. */
static const struct error_interval *interval_of(const char *device, const struct time_parts *parts)
{
    const struct prediction_error *error = prediction_error(device);
    double times[BOTTLENECKS];
    if (!error)
        return NULL;
    const struct error_interval *of = &error->of[time_parts_by_bottleneck(parts, times)];
    return of->points >= LEAST_POINTS ? of : &error->of[BOTTLENECKS];
}

static void print_interval(const char *device, const struct time_parts *parts, double us)
{
    const struct error_interval *of = interval_of(device, parts);
    if (of)
        fprintf(stderr, " (%.3f to %.3f)", us * of->low, us * of->high);
}

static struct spending_kernel kernel_of(const struct prediction *of, size_t number)
{
    const struct launches *l = &of->all[number];
    struct spending_kernel kernel = {
        .number = (unsigned)number, .launches = (double)l->count, .warps = l->warps};
    snprintf(kernel.text, sizeof kernel.text, "%s, %u x %u", l->first.name, l->first.blocks,
             l->first.threads);
    return kernel;
}

#define LEAST_PART 0.05 /* a kernel with a smaller part of the time has no line for its bottleneck */
#define MOST_COSTLY 5   /* largest number of lines of the source that are told for a kernel */

static void print_launches(const struct prediction *of, size_t number, const char *device,
                           double units_per_us)
{
    const struct launches *l = &of->all[number];
    struct spending_kernel kernel = kernel_of(of, number);
    double us = l->time.units / (double)l->count / units_per_us;
    unsigned used = (unsigned)machine_installed()->sm_count;
    char text[256];
    fprintf(stderr, "gpusync-predict: %s: %s: %.3f us each", device, kernel.text, us);
    print_interval(device, &l->time, us);
    fprintf(stderr, ", without its launch (%llu launches)\n", l->count);
    if (l->time.units < LEAST_PART * (double)(of->end - of->began) || !l->warps)
        return;
    time_parts_text(&l->time, text, sizeof text);
    fprintf(stderr, "gpusync-predict: %s: %s: limited by %s", device, kernel.text, text);
    time_parts_unit(&l->time, &l->taken, l->first.blocks < used ? l->first.blocks : used, text, sizeof text);
    fprintf(stderr, "%s%s; most in ", *text ? ": " : "", text);
    spending_print_most(&of->spending, &kernel, MOST_COSTLY);
    fprintf(stderr, "\n");
}

static void print_parts(const char *device, const struct time_parts *parts, double units_per_us)
{
    double us = parts->units / units_per_us;
    char text[128];
    fprintf(stderr, "%.3f us", us);
    print_interval(device, parts, us);
    time_parts_text(parts, text, sizeof text);
    fprintf(stderr, "%s%s\n", *text ? ", limited by " : "", text);
}

/* Returns the time from the first launch's begin to the last one's end. */
static struct time_parts parts_of_all(const struct prediction *of)
{
    struct time_parts all = {0};
    for (size_t i = 0; i < of->count; i++)
        time_parts_add(&all, &of->all[i].time);
    double outside = (double)(of->end - of->began) - all.units;
    all.of[SPENT_OUTSIDE] += outside > 0 ? outside : 0;
    all.units = (double)(of->end - of->began);
    return all;
}

/* Prints the times that the program measures or, if there are none, that of several launches together. */
static void print_measured(const struct prediction *of, const char *device, double units_per_us)
{
    size_t told = of->measured_count < MOST_TIMES ? of->measured_count : MOST_TIMES;
    for (size_t i = 0; i < told; i++) {
        fprintf(stderr, "gpusync-predict: %s: time %zu that the program measures: ", device, i + 1);
        print_parts(device, &of->measured[i], units_per_us);
    }
    if (told < of->measured_count)
        fprintf(stderr, "gpusync-predict: %s: and %zu more times\n", device, of->measured_count - told);
    if (told || of->ended < 2)
        return;
    struct time_parts all = parts_of_all(of);
    fprintf(stderr, "gpusync-predict: %s: from the first launch's begin to the last one's end: ", device);
    print_parts(device, &all, units_per_us);
}

/* Prints the error of predictions. */
static void print_error(const char *device)
{
    const struct prediction_error *error = prediction_error(device);
    if (!error) {
        fprintf(stderr,
                "gpusync-predict: %s: no prediction for this model has been measured: its error is unknown\n",
                device);
        return;
    }
    fprintf(
        stderr,
        "gpusync-predict: %s: an interval in brackets is made so that 80 of 100 measured times with the same "
        "bottleneck lie in it. Of times from which it was not made, this share did: ",
        device);
    for (unsigned b = 0; b < BOTTLENECKS; b++)
        fprintf(stderr, "%s%.0f %% (%s, of %d)", b ? ", " : "",
                100.0 * error->of[b].inside / error->of[b].points, bottleneck_names[b], error->of[b].points);
    fprintf(stderr, " (docs/predict.md)\n");
}

void prediction_print_total(const struct prediction *of, const char *device, double units_per_us)
{
    const struct prediction_error *error = prediction_error(device);
    struct time_parts all = parts_of_all(of);
    const struct error_interval *interval = interval_of(device, &all);
    double us = all.units / units_per_us;
    char text[128];
    time_parts_text(&all, text, sizeof text);
    fprintf(stderr, "gpusync-predict: total: %.17g %.17g %d %.17g %.17g %s\n", us, error ? error->factor : 0,
            error ? error->pairs : 0, interval ? us * interval->low : 0, interval ? us * interval->high : 0,
            text);
}

void prediction_print_lines(const struct prediction *of, double units_per_us)
{
    fprintf(
        stderr,
        "gpusync-predict: where the time goes, by line. The critical path leads back from the warp that ends "
        "last, and from each wait to the warp that ended it: its lines add up to the kernel's time. Those of "
        "a warp add up to the mean time from a warp's begin to its end.\n");
    for (size_t i = 0; i < of->count; i++) {
        struct spending_kernel kernel = kernel_of(of, i);
        if (kernel.warps > 0)
            spending_print(&of->spending, &kernel, units_per_us);
    }
}

void prediction_describe(const struct prediction *of, double units_per_us, char *text, size_t size)
{
    const struct machine_way *at = &of->under_way;
    snprintf(text, size, "%s, %u x %u: %u of its %u blocks have ended after %.3f us", at->name, at->blocks,
             at->threads, at->ended, at->blocks, (double)at->units / units_per_us);
}

void prediction_print(const struct prediction *of, const char *device, double units_per_us, bool is_whole)
{
    char text[512];
    fprintf(stderr,
            "gpusync-predict: %s, %g MHz: times that the program measures by cudaEvent are predictions, in "
            "milliseconds as in CUDA; its kernels' times:\n",
            device, units_per_us);
    for (size_t i = 0; i < of->count && of->all[i].count; i++)
        print_launches(of, i, device, units_per_us);
    if (of->untold)
        fprintf(stderr, "gpusync-predict: %s: and %llu launches of more kernels\n", device, of->untold);
    print_measured(of, device, units_per_us);
    print_error(device);
    fprintf(stderr,
            "gpusync-predict: the program was not checked: a race or a missing fence makes a time wrong, "
            "and gpusync check finds it\n");
    not_modelled_print(&of->not_modelled);
    checked_program_print_skipped(&of->left_out,
                                  "gpusync-predict: skipped, and no part of any time: ", stderr);
    if (is_whole)
        return;
    if (!of->is_in_kernel) {
        fprintf(stderr, "gpusync-predict: %s: not finished: the host's code ran, and no kernel\n", device);
        return;
    }
    prediction_describe(of, units_per_us, text, sizeof text);
    fprintf(stderr, "gpusync-predict: %s: not finished: %s, so it takes at least as long\n", device, text);
    char *standing = frames_expand(of->standing, NULL, 0, NULL);
    if (*standing)
        fprintf(stderr, "gpusync-predict: %s: where it was: %s\n", device, standing);
    free(standing);
}

void prediction_print_hang(const struct prediction *of)
{
    char *hang = frames_expand(of->hang, NULL, 0, NULL);
    fprintf(stderr, "gpusync-predict: hang: %s\n", hang);
    free(hang);
}
