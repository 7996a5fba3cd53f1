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

static void add_launch(const struct machine_launched *launched)
{
    size_t i = 0;
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
    of->units += (double)launched->units;
    of->count++;
    if (asked_for.lines)
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
    if (asked->lines || asked->timeline)
        machine_note_spent(true, asked->timeline ? timeline_span : NULL);
    machine_watch_launches(add_launch);
    machine_watch_hangs(keep, end_in_hang);
    sigaction(TELL, &tell, NULL);
    sigaction(END_NOW, &end, NULL);
}

/* ---- functions that execute in the tool's process ---- */

static void print_launches(const struct launches *of, const char *device, double units_per_us)
{
    const struct prediction_error *error = prediction_error(device);
    double us = of->units / (double)of->count / units_per_us;
    char interval[64] = "";
    if (error)
        snprintf(interval, sizeof interval, " (%.3f to %.3f)", us * error->low, us * error->high);
    fprintf(stderr, "gpusync-predict: %s: %s, %u x %u: %.3f us each%s, without its launch (%llu launches)\n",
            device, of->first.name, of->first.blocks, of->first.threads, us, interval, of->count);
}

/* Prints the error of predictions, as measured on points that were predicted before they were measured. */
static void print_error(const char *device)
{
    const struct prediction_error *error = prediction_error(device);
    if (error)
        fprintf(stderr,
                "gpusync-predict: %s: of %d points that were predicted before they were measured, 80 %% were "
                "measured between %.2f and %.2f times the prediction, which gives the intervals in brackets; "
                "without "
                "their own program's points, %.0f %% are inside (docs/predict.md)\n",
                device, error->points, error->low, error->high, 100.0 * error->inside / error->points);
    else
        fprintf(stderr,
                "gpusync-predict: %s: no prediction for this model has been measured: its error is unknown\n",
                device);
}

void prediction_print_total(const struct prediction *of, const char *device, double units_per_us)
{
    const struct prediction_error *error = prediction_error(device);
    fprintf(stderr, "gpusync-predict: total: %.17g %.17g %d\n", (double)(of->end - of->began) / units_per_us,
            error ? error->factor : 0, error ? error->pairs : 0);
}

void prediction_print_lines(const struct prediction *of, double units_per_us)
{
    fprintf(
        stderr,
        "gpusync-predict: where the time goes, by line. The critical path leads back from the warp that ends "
        "last, and from each wait to the warp that ended it: its lines add up to the kernel's time. Those of "
        "a warp add up to the mean time from a warp's begin to its end.\n");
    for (size_t i = 0; i < of->count; i++) {
        const struct launches *l = &of->all[i];
        char text[256];
        snprintf(text, sizeof text, "%s, %u x %u", l->first.name, l->first.blocks, l->first.threads);
        if (l->warps > 0)
            spending_print(&of->spending,
                           &(struct spending_kernel){(unsigned)i, text, (double)l->count, l->warps},
                           units_per_us);
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
        print_launches(&of->all[i], device, units_per_us);
    if (of->untold)
        fprintf(stderr, "gpusync-predict: %s: and %llu launches of more kernels\n", device, of->untold);
    print_error(device);
    not_modelled_print(&of->not_modelled, device);
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
