/* Draws the figures of a folder. For each figure, it opens the figure's results, writes their data to
 * STEM.dat (series.c) and the settings to STEM.set, and lets gnuplot draw both (gnuplot.c). */
#include "report/draw.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/fidelity.h"
#include "report/devices.h"
#include "report/gnuplot.h"
#include "report/figures.h"

#include <sys/stat.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

void make_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        fail(EXIT_BAD_INPUT, "%s cannot be made: %s", path, strerror(errno));
    if (lstat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        fail(EXIT_BAD_INPUT, "%s is no folder", path);
}

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    return file;
}

static void close_created(FILE *file, const char *path)
{
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
}

/* ---- one figure ---- */

static void note_drawn(struct drawing *d, const struct figure *figure, const char *name,
                       const struct settings *settings, bool has_drawing)
{
    d->drawn = with_room(d->drawn, sizeof *d->drawn, d->count, 1);
    d->drawn[d->count++] = (struct drawn){figure, copy_text(name), *settings, has_drawing};
    d->without_drawing += !has_drawing;
}

/* Draws a figure after its data file STEM.dat has been written. */
static void draw_written(struct drawing *d, const struct plot *plot, const char *stem, const char *name)
{
    struct settings settings = write_settings(stem, plot, NULL);
    bool draws = can_draw();
    if (!draws || gnuplot_draw(plot->figure->script, stem, settings.caption.heading))
        note_drawn(d, plot->figure, name, &settings, draws);
    else
        d->left_out++;
}

/* Returns how many variants of a figure must have been measured to draw it: usually two of the compared
 * variants. One is enough if the figure has only one variant, or compares each variant with back-to-back
 * launches. */
static size_t fewest_names(const struct figure *figure)
{
    if (!figure->variants)
        return 0;
    return figure->series != GAIN_BY_SIZE && strchr(figure->variants, ' ') ? 2 : 1;
}

/* Draws a figure of the result `r` under the name `name`. `r` may be NULL; then the figure shows the study of
 * the abstract machines. */
static void draw_result(struct drawing *d, const struct figure *figure, const struct result *r,
                        const char *name)
{
    const char *stem = made("%s/%s", d->plots, name), *path = made("%s.dat", stem);
    struct plot plot = plot_of(figure, r, d->folder);
    if (plot.names.lacking) {
        fprintf(stderr, "%s: left out: %s, as %s has no %s\n", program_name(), name, r->path,
                plot.names.lacking);
        d->left_out++;
    } else if (!r || plot.names.count >= fewest_names(figure)) {
        FILE *file = create(path);
        bool something = write_series(&plot, file);
        close_created(file, path);
        struct figure_data data = figure_data_read(path);
        something = something && !figure_is_trivial(figure, &data);
        figure_data_free(&data);
        if (something)
            draw_written(d, &plot, stem, name);
        else
            unlink(path);
    }
    names_free(&plot.names);
}

static void draw_predictions(struct drawing *d, const struct figure *figure)
{
    struct fidelity fidelity = fidelity_read(d->folder);
    if (fidelity.count) {
        const char *stem = made("%s/%s", d->plots, figure->name), *path = made("%s.dat", stem);
        FILE *file = create(path);
        write_fidelity(&fidelity, file);
        close_created(file, path);
        struct plot plot = {
            .figure = figure, .result = fidelity.first, .folder = d->folder, .names = fidelity_kinds()};
        draw_written(d, &plot, stem, figure->name);
        names_free(&plot.names);
    }
    fidelity_close(&fidelity);
}

/* ---- a folder ---- */

/* Returns whether the sweep "paper" replaces the main sweep in this figure. It does if the figure reproduces
 * one of a paper and the folder has the sweep, whose problems are as large as the paper's. */
static bool is_drawn_larger(const struct drawing *d, const struct figure *figure, const char *program)
{
    return !strchr(figure->result, '@') && strstr(figure->place, "Figure") &&
           has_file(d->folder, made("%s@paper", program));
}

/* Draws the figure of one program of its family. */
static void draw_program(struct drawing *d, const struct figure *figure, const char *program)
{
    const char *sweep = strchr(figure->result, '@');
    struct result *r = result_open(d->folder, made("%s%s", program, sweep ? sweep : ""));
    if (r && !is_drawn_larger(d, figure, program))
        draw_result(d, figure, r, made("%s-%s", figure->name, program));
}

/* Draws the figure of each program of its family: first those that the paper's figure shows, in its order. */
static void draw_family(struct drawing *d, const struct figure *figure)
{
    struct texts programs =
        results_of_family(d->folder, made("%.*s", (int)strcspn(figure->result + 1, "@"), figure->result + 1));
    for (const char *at = figure->parts; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        for (size_t i = 0; i < programs.count; i++)
            if (strlen(programs.items[i]) == length && strncmp(programs.items[i], at, length) == 0)
                draw_program(d, figure, programs.items[i]);
        at += length;
    }
    for (size_t i = 0; i < programs.count; i++)
        if (place_in(figure->parts, ' ', programs.items[i], strlen(programs.items[i])) < 0)
            draw_program(d, figure, programs.items[i]);
    free(programs.items);
}

static void draw_figure(struct drawing *d, const struct figure *figure)
{
    bool predictions = figure->series == MEASURED_AND_PREDICTED;
    if (*figure->result == '*') {
        draw_family(d, figure);
    } else if (has_file(d->folder, predictions ? "predicted/micro-components" : figure->result)) {
        if (predictions) {
            draw_predictions(d, figure);
        } else if (strcmp(figure->result, "study") == 0) {
            draw_result(d, figure, NULL, figure->name);
        } else {
            struct result *r = result_open(d->folder, figure->result);
            draw_result(d, figure, r, figure->name);
        }
    }
}

struct drawing draw_folder(const char *folder)
{
    struct drawing d = {.folder = folder, .plots = copy_text(plots_of(folder))};
    make_folder("plots");
    make_folder("plots/reference");
    make_folder(d.plots);
    for (size_t i = 0; i < figures_count; i++)
        draw_figure(&d, &figures[i]);
    return d;
}

/* ---- two devices ---- */

static const struct figure comparison = {.name = "compare",
                                         .script = "compare",
                                         .series = AGAINST_ALL_BLOCKS,
                                         .quantity = US_COMPARED,
                                         .variants = "cpu-implicit? cpu-graph? lock-based-fence? "
                                                     "lock-free-fence? grid-sync? counter?",
                                         .x_label = "thread blocks",
                                         .axes = LOG_Y,
                                         .title = "%s: solid the first device, dashed the second",
                                         .place = "ours"};

static bool draw_two(const char *plots, const char *program, const struct result *a, const struct result *b)
{
    const char *stem = made("%s/%s", plots, program), *path = made("%s.dat", stem);
    struct plot first = plot_of(&comparison, a, ""), second = plot_of(&comparison, b, "");
    FILE *file = create(path);
    write_curves(&first, &first.names, file);
    write_curves(&second, &first.names, file);
    close_created(file, path);
    struct settings settings = write_settings(stem, &first, b->device_name);
    names_free(&first.names);
    names_free(&second.names);
    return gnuplot_draw(comparison.script, stem, settings.caption.heading);
}

size_t draw_comparison(const char *a, const char *b)
{
    static const char *const programs[] = {"micro-barrier", "fft", "swat", "bitonic"};
    const char *plots = made("plots/compare-%s-%s", check_folder(a), check_folder(b));
    size_t failed = 0;
    make_folder("plots");
    make_folder(plots);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct result *x = result_open(a, programs[i]), *y = result_open(b, programs[i]);
        if (x && y)
            failed += !draw_two(plots, programs[i], x, y);
    }
    printf("\nfigures: %s\n", plots);
    return failed;
}

/* Writes gnuplot's settings. No part of a result reaches gnuplot as program text: of numbers the value is
 * printed, and of texts only letters, digits and a few signs. */

/* Prints a text between single quotes, within which gnuplot substitutes nothing. */
static void print_safe(FILE *file, const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;()+-_/%=<>|#*^@";
    for (; *text; text++)
        fputc(strchr(allowed, *text) ? *text : '?', file);
}

void print_setting(FILE *file, const char *name, const char *text)
{
    fprintf(file, "%s = '", name);
    print_safe(file, text);
    fputs("'\n", file);
}

/* Returns the label of the y axis. */
static const char *y_label(const struct figure *figure)
{
    static const char *const labels[] = {[MILLISECONDS] = "milliseconds",
                                         [MS_OF_SYNC] = "milliseconds",
                                         [MS_OF_10000] = "milliseconds",
                                         [MICROSECONDS] = "microseconds",
                                         [US_LATE] = "microseconds beyond the lateness",
                                         [US_COMPARED] = "microseconds",
                                         [CYCLES] = "cycles",
                                         [CELLS] = "billions of cells a second",
                                         [RATIO] = "times as fast",
                                         [OVER_FLOOR] = "time over that of a copy",
                                         [TIME_UNITS] = "time units"};
    if (figure->series == STUDY_BARRIERS)
        return "barriers";
    if (figure->series == STUDY_FIGURE_2 || figure->series == STUDY_FIGURE_3)
        return " "; /* each warp has its name at the axis */
    if (figure->series == MEASURED_AND_PREDICTED)
        return "times the measured time";
    if (figure->series == SHARES || figure->series == SHARES_OF_TOKEN)
        return "percent";
    if (figure->quantity == TIMES_AS_FAST)
        return made("times as fast as %s", name_in_figure(figure, figure->base));
    return labels[figure->quantity];
}

static void print_names(FILE *file, const struct figure *figure, const struct names *names)
{
    fputs("names = '", file);
    for (size_t i = 0; i < names->count; i++) {
        print_safe(file, names->items[i]);
        fputc(' ', file);
    }
    fputs("'\ncolors = '", file);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, "%s ", style_of(names->items[i]).color);
    fputs("'\npoints = '", file);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, "%d ", style_of(names->items[i]).point);
    fputs("'\ndashes = '", file);
    for (size_t i = 0; i < names->count; i++)
        fprintf(file, "%d ", names->ordered[i] ? 1 : 2);
    fputs("'\n", file);
    /* prints the labels of the drawn variants, each in double quotes, because gnuplot takes such a label as
     * one word */
    fputs("labels = '", file);
    for (size_t i = 0; i < names->count; i++) {
        fputc('"', file);
        print_safe(file, figure_label(figure, names, i));
        fputs("\" ", file);
    }
    fputs("'\n", file);
}

static void print_title(FILE *file, const struct caption *caption, const struct result *r)
{
    print_setting(file, "heading", caption->heading);
    print_setting(file, "what",
                  made("%s%s%s%s", caption->sizes, *caption->sizes ? "; " : "",
                       !r           ? "from runs on the abstract machines"
                       : r->machine ? "predicted by the memory machine, preset "
                                    : "measured on ",
                       r ? r->device_name : ""));
}

/* Returns the size at which a copy fills the L2 cache, or 0 if the figure does not mark it. */
static double size_of_cache(const struct plot *plot)
{
    double bytes = plot->result ? number_of(plot->result->device, "l2_bytes") : NAN;
    return plot->figure->bytes_moved > 0 && bytes > 0 ? bytes / plot->figure->bytes_moved : 0;
}

struct settings write_settings(const char *stem, const struct plot *plot, const char *second)
{
    const struct figure *figure = plot->figure;
    struct settings settings = {.caption = caption_of(plot)};
    const char *path = made("%s.set", stem), *data = made("%s.dat", stem);
    FILE *file = create(path);
    print_names(file, figure, &plot->names);
    print_title(file, &settings.caption, plot->result);
    print_setting(file, "xname", x_label_of(plot) ? x_label_of(plot) : "");
    print_setting(file, "yname", y_label(figure));
    fprintf(file, "tags = %d\n", figure->series == GAIN_BY_SIZE);
    fprintf(file, "logx = %d\nlogy = %d\nbinary = %d\nzero = %d\n", !!(figure->axes & LOG_X),
            !!(figure->axes & LOG_Y), !!(figure->axes & POWERS_OF_TWO), !!(figure->axes & FROM_ZERO));
    fprintf(file, "level = %d\n",
            figure->quantity == TIMES_AS_FAST || figure->quantity == OVER_FLOOR ||
                figure->series == GAIN_BY_SIZE);
    fprintf(file, "cache = %.9g\n", size_of_cache(plot));
    settings.marks = print_paper_points(file, plot, data);
    struct figure_data drawn = figure_data_read(data);
    settings.says = figure_says(plot, &drawn);
    figure_data_free(&drawn);
    if (second)
        print_setting(file, "second", second);
    close_created(file, path);
    return settings;
}
