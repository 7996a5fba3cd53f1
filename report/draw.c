/*
 * Drawing: for each figure a data file and a file of settings, and gnuplot for both formats.
 * Nothing of a result reaches gnuplot as program text: numbers are printed, and of texts only
 * letters, digits and a few signs.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "report/data.h"
#include "report/draw.h"
#include "report/fidelity.h"
#include "report/figures.h"
#include "report/folders.h"
#include "report/paper_points.h"
#include "report/styles.h"
#include "report/suite_path.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A text for gnuplot between single quotes, in which it substitutes nothing. */
static void print_safe(FILE *file, const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;()+-_/%=<>|#*^@";
    for (; *text; text++)
        fputc(strchr(allowed, *text) ? *text : '?', file);
}

static void print_setting(FILE *file, const char *name, const char *text)
{
    fprintf(file, "%s = '", name);
    print_safe(file, text);
    fputs("'\n", file);
}

/* ---- settings ---- */

static const char *y_label(const struct figure *figure)
{
    static const char *const labels[] = {[MILLISECONDS] = "milliseconds",
                                         [MS_OF_SYNC] = "milliseconds",
                                         [MS_OF_10000] = "milliseconds",
                                         [MICROSECONDS] = "microseconds",
                                         [US_COMPARED] = "microseconds",
                                         [CYCLES] = "cycles",
                                         [CELLS] = "billions of cells a second",
                                         [RATIO] = "times as fast",
                                         [TIME_UNITS] = "time units"};
    if (figure->series == STUDY_BARRIERS)
        return "barriers";
    if (figure->series == MEASURED_AND_PREDICTED)
        return "microseconds predicted";
    if (figure->series == SHARES || figure->series == SHARES_OF_TOKEN)
        return "percent";
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
    if (!figure->labels)
        return;
    fputs("labels = '", file); /* of those that are drawn: gnuplot's words in double quotes */
    for (size_t i = 0; i < names->count; i++) {
        const char *at = figure->labels;
        for (size_t place = 0; place < names->places[i]; place++)
            at += strcspn(at, "|") + 1;
        fprintf(file, "\"%.*s\" ", (int)strcspn(at, "|"), at);
    }
    fputs("'\n", file);
}

const char *figure_title(const struct figure *figure, const char *program, char *text, size_t bytes)
{
    const char *mark = strstr(figure->title, "%s");
    if (mark)
        snprintf(text, bytes, "%.*s%s%s", (int)(mark - figure->title), figure->title, program, mark + 2);
    else
        snprintf(text, bytes, "%s", figure->title);
    return text;
}

static void print_title(FILE *file, const struct figure *figure, const char *program, const char *device,
                        bool machine)
{
    char title[512];
    figure_title(figure, program, title, sizeof title);
    if (strcmp(figure->place, "ours") != 0)
        snprintf(title + strlen(title), sizeof title - strlen(title), " (%s)", figure->place);
    print_setting(file, "heading", title);
    snprintf(title, sizeof title, "%s %s",
             !*device  ? "from runs on the abstract machines"
             : machine ? "predicted by the memory machine, preset"
                       : "measured on",
             device);
    print_setting(file, "what", title);
}

/* STEM.set, when STEM.dat is written. */
static void write_settings(const char *stem, const struct figure *figure, const struct names *names,
                           const struct result *r)
{
    char path[600], data[600];
    snprintf(path, sizeof path, "%s.set", stem);
    snprintf(data, sizeof data, "%s.dat", stem);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    print_names(file, figure, names);
    print_title(file, figure, r ? r->experiment : "", r ? r->device_name : "", r && r->machine);
    print_setting(file, "xname", figure->x_label ? figure->x_label : "");
    print_setting(file, "yname", y_label(figure));
    fprintf(file, "tags = %d\n", figure->series == GAIN_BY_SIZE);
    fprintf(file, "logx = %d\nlogy = %d\nbinary = %d\nzero = %d\n", !!(figure->axes & LOG_X),
            !!(figure->axes & LOG_Y), !!(figure->axes & POWERS_OF_TWO), !!(figure->axes & FROM_ZERO));
    print_paper_points(file, figure, r, data);
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
}

/* ---- gnuplot ---- */

bool can_draw(void)
{
    char *const arguments[] = {(char *)"gnuplot", (char *)"--version", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status = -1;
    bool there = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                 waitpid(child, &status, 0) == child && status == 0;
    posix_spawn_file_actions_destroy(&actions);
    return there;
}

/* gnuplot exits with 0 when a data set is missing and only says so on stderr, so a word there is a
 * failure. */
static bool run_gnuplot(const char *script, const char *stem, const char *format)
{
    char expression[1200], name[256], program[SUITE_PATH_BYTES], output[600], errors[600];
    snprintf(name, sizeof name, "plots/%s.gp", script);
    if (strcmp(suite_path(name, program), name) != 0) { /* it loads others of its folder */
        char folder[SUITE_PATH_BYTES];
        snprintf(folder, sizeof folder, "%.*s", (int)(strlen(program) - strlen(name)), program);
        setenv("GNUPLOT_LIB", folder, 1);
    }
    snprintf(output, sizeof output, "%s.%s.temporary", stem, format);
    snprintf(errors, sizeof errors, "%s.errors", stem);
    snprintf(expression, sizeof expression, "stem='%s'; format='%s'; output='%s'", stem, format, output);
    char *const arguments[] = {(char *)"gnuplot", (char *)"-e", expression, program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t child;
    int status = -1;
    struct stat said, drawn;
    bool good = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                stat(errors, &said) == 0 && said.st_size == 0 && stat(output, &drawn) == 0 &&
                drawn.st_size > 0;
    posix_spawn_file_actions_destroy(&actions);
    char final[600];
    snprintf(final, sizeof final, "%s.%s", stem, format);
    good = good && rename(output, final) == 0;
    unlink(good ? errors : output);
    return good;
}

static void print_complaints(const char *stem)
{
    char path[600], line[512];
    snprintf(path, sizeof path, "%s.errors", stem);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
    if (file)
        fclose(file);
    unlink(path);
}

static FILE *create_data(const char *stem, char path[600])
{
    snprintf(path, 600, "%s.dat", stem);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    return file;
}

/* False, and said: gnuplot could not. */
static bool draw_both(const struct figure *figure, const char *stem)
{
    bool drawn = run_gnuplot(figure->script, stem, "svg") && run_gnuplot(figure->script, stem, "png");
    if (!drawn) {
        print_complaints(stem);
        fprintf(stderr, "%s: left out: %s cannot be drawn by plots/%s.gp\n", program_name(), stem,
                figure->script);
    }
    return drawn;
}

/* ---- folders ---- */

/* A folder of plots/ itself, and no link out of it. */
static void make_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        fail(EXIT_BAD_INPUT, "%s cannot be made: %s", path, strerror(errno));
    if (lstat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        fail(EXIT_BAD_INPUT, "%s is no folder", path);
}

static void note_drawn(struct drawing *d, const struct figure *figure, const char *name)
{
    d->drawn = with_room(d->drawn, sizeof *d->drawn, d->count, 1);
    d->drawn[d->count].figure = figure;
    snprintf(d->drawn[d->count++].name, sizeof d->drawn->name, "%s", name);
}

static bool is_study(const struct figure *figure)
{
    return strcmp(figure->result, "study") == 0;
}

/* The data have been written; `name`: the figure's files. */
static void draw_written(struct drawing *d, const struct figure *figure, const struct names *names,
                         const struct result *r, const char *stem, const char *name)
{
    write_settings(stem, figure, names, r);
    if (draw_both(figure, stem))
        note_drawn(d, figure, name);
    else
        d->left_out++;
}

/* Of one result; `name`: the figure's files. */
static void draw_one(struct drawing *d, const struct figure *figure, const struct result *r, const char *name)
{
    char stem[520], path[600];
    snprintf(stem, sizeof stem, "%.300s/%.200s", d->plots, name);
    struct names names = names_of(figure, is_study(figure) ? NULL : r);
    if (*names.lacking) {
        fprintf(stderr, "%s: left out: %s, as %s has no %s\n", program_name(), name, r->path, names.lacking);
        names_free(&names);
        d->left_out++;
        return;
    }
    FILE *file = create_data(stem, path);
    bool something = !figure->variants || names.count;
    if (is_study(figure))
        write_study(figure, d->folder, &names, file);
    else if (something)
        something = write_data(figure, r, d->folder, &names, file);
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
    if (something)
        draw_written(d, figure, &names, r, stem, name);
    else
        unlink(path);
    names_free(&names);
}

static void draw_fidelity(struct drawing *d, const struct figure *figure)
{
    char stem[520], path[600];
    if (!has_file(d->folder, "predicted/micro-components"))
        return;
    struct fidelity fidelity = fidelity_read(d->folder);
    if (fidelity.count) {
        snprintf(stem, sizeof stem, "%.300s/%s", d->plots, figure->name);
        FILE *file = create_data(stem, path);
        write_fidelity(&fidelity, file);
        if (fclose(file) != 0)
            fail(EXIT_BAD_INPUT, "%s cannot be written", path);
        struct names names = names_of_list(fidelity.names, fidelity.names_count);
        draw_written(d, figure, &names, fidelity.results[0], stem, figure->name);
        names_free(&names);
    }
    fidelity_close(&fidelity);
}

/* A paper's figure of small problems is left to its row of problems as large as the paper's, where those were measured. */
static bool is_drawn_larger(const struct drawing *d, const struct figure *figure, const char *program)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s@paper", program);
    struct result *larger =
        !strchr(figure->result, '@') && strstr(figure->place, "Figure") ? result_open(d->folder, name) : NULL;
    bool is_there = larger != NULL;
    result_close(larger);
    return is_there;
}

static void draw_of_family(struct drawing *d, const struct figure *figure)
{
    size_t count;
    char family[64], name[256];
    const char *sweep = strchr(figure->result, '@');
    snprintf(family, sizeof family, "%.*s", (int)strcspn(figure->result + 1, "@"), figure->result + 1);
    char **programs = results_of_family(d->folder, family, &count);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%s", programs[i], sweep ? sweep : "");
        struct result *r = result_open(d->folder, name);
        snprintf(name, sizeof name, "%s-%s", figure->name, programs[i]);
        if (r && !is_drawn_larger(d, figure, programs[i]))
            draw_one(d, figure, r, name);
        result_close(r);
        free(programs[i]);
    }
    free(programs);
}

static void draw_figure(struct drawing *d, const struct figure *figure)
{
    if (*figure->result == '*')
        return draw_of_family(d, figure);
    if (figure->series == MEASURED_AND_PREDICTED)
        return draw_fidelity(d, figure);
    if (!has_file(d->folder, figure->result))
        return;
    struct result *r = is_study(figure) ? NULL : result_open(d->folder, figure->result);
    draw_one(d, figure, r, figure->name);
    result_close(r);
}

struct drawing draw_folder(const char *folder)
{
    struct drawing d = {.folder = folder};
    plots_of(folder, d.plots, sizeof d.plots);
    make_folder("plots");
    make_folder("plots/reference");
    make_folder(d.plots);
    for (size_t i = 0; i < figures_count; i++)
        draw_figure(&d, &figures[i]);
    if (!d.count && !d.left_out)
        fail(EXIT_BAD_INPUT, "%s holds no result that has a figure", folder);
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
    char stem[520], path[600];
    snprintf(stem, sizeof stem, "%.300s/%.200s", plots, program);
    struct names names = names_of(&comparison, a);
    FILE *file = create_data(stem, path);
    for (size_t i = 0; i < names.count; i++)
        write_curve(&comparison, a, names.items[i], file);
    for (size_t i = 0; i < names.count; i++)
        write_curve(&comparison, b, names.items[i], file);
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
    write_settings(stem, &comparison, &names, a);
    snprintf(path, sizeof path, "%s.set", stem);
    file = fopen(path, "a");
    print_setting(file, "second", b->device_name);
    fclose(file);
    names_free(&names);
    return draw_both(&comparison, stem);
}

size_t draw_comparison(const char *a, const char *b)
{
    static const char *const programs[] = {"micro-barrier", "fft", "swat", "bitonic"};
    char plots[512];
    size_t failed = 0;
    snprintf(plots, sizeof plots, "plots/compare-%s-%s", check_folder(a), check_folder(b));
    make_folder("plots");
    make_folder(plots);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct result *x = result_open(a, programs[i]), *y = result_open(b, programs[i]);
        if (x && y)
            failed += !draw_two(plots, programs[i], x, y);
        result_close(x);
        result_close(y);
    }
    printf("\nfigures: %s\n", plots);
    return failed;
}

/* ---- the list ---- */

const char *figure_command(const struct figure *figure, char *text, size_t bytes)
{
    if (is_study(figure))
        snprintf(text, bytes, "scripts/memory-machine-study");
    else if (figure->series == MEASURED_AND_PREDICTED)
        snprintf(text, bytes, "scripts/predict");
    else if (strncmp(figure->result, "*steps", 6) == 0)
        snprintf(text, bytes, "make run EXPERIMENTS=\"fft swat bitonic\"");
    else if (strncmp(figure->result, "*batches", 8) == 0)
        snprintf(text, bytes, "make run EXPERIMENTS=\"swat pairhmm\"");
    else
        snprintf(text, bytes, "make run EXPERIMENTS=%.*s", (int)strcspn(figure->result, "-@"),
                 figure->result);
    return text;
}

void print_figures(enum form form, FILE *file)
{
    char command[128];
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "where");
    table_text(&t, "figure");
    table_text(&t, "plots/DEVICE/");
    table_text(&t, "made by");
    for (size_t i = 0; i < figures_count; i++) {
        const struct figure *f = &figures[i];
        const char *title =
            strncmp(f->title, "%s: ", 4) == 0 || strncmp(f->title, "%s, ", 4) == 0 ? f->title + 4 : f->title;
        const char *mark = strstr(title, "%s");
        table_row(&t);
        table_text(&t, "%s", f->place);
        table_text(&t, "%.*s%s", mark ? (int)(mark - title) : (int)strlen(title), title,
                   mark ? "each program" : "");
        table_text(&t, *f->result == '*' ? "%s-*.svg" : "%s.svg", f->name);
        table_text(&t, "%s", figure_command(f, command, sizeof command));
    }
    table_print(&t, form, file);
    table_free(&t);
}
