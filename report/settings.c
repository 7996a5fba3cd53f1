/* Writes gnuplot's settings. No part of a result reaches gnuplot as program text: of numbers the value is
 * printed, and of texts only letters, digits and a few signs. */
#include "report/settings.h"
#include "base/failure.h"
#include "report/figure_says.h"
#include "report/styles.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Writes the label of the y axis into `text` if the figure needs one of its own. Returns the label. */
static const char *y_label(const struct figure *figure, char text[96])
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
                                         [OVER_FLOOR] = "time over what memory takes at least",
                                         [TIME_UNITS] = "time units"};
    if (figure->series == STUDY_BARRIERS)
        return "barriers";
    if (figure->series == MEASURED_AND_PREDICTED)
        return "microseconds predicted";
    if (figure->series == SHARES || figure->series == SHARES_OF_TOKEN)
        return "percent";
    if (figure->quantity == TIMES_AS_FAST) {
        snprintf(text, 96, "times as fast as %s", figure->base);
        return text;
    }
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
    /* prints the labels of the drawn variants, each in double quotes, because gnuplot takes such a label as
     * one word */
    fputs("labels = '", file);
    for (size_t i = 0; i < names->count; i++) {
        const char *at = figure->labels;
        for (size_t place = 0; place < names->places[i]; place++)
            at += strcspn(at, "|") + 1;
        fprintf(file, "\"%.*s\" ", (int)strcspn(at, "|"), at);
    }
    fputs("'\n", file);
}

static void print_title(FILE *file, const struct caption *caption, const struct result *r)
{
    char what[512];
    snprintf(what, sizeof what, "%s%s%s%s", caption->sizes, *caption->sizes ? "; " : "",
             !r           ? "from runs on the abstract machines"
             : r->machine ? "predicted by the memory machine, preset "
                          : "measured on ",
             r ? r->device_name : "");
    print_setting(file, "heading", caption->heading);
    print_setting(file, "what", what);
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
    char path[600], data[600], label[96];
    snprintf(path, sizeof path, "%s.set", stem);
    snprintf(data, sizeof data, "%s.dat", stem);
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    print_names(file, figure, &plot->names);
    print_title(file, &settings.caption, plot->result);
    print_setting(file, "xname", figure->x_label ? figure->x_label : "");
    print_setting(file, "yname", y_label(figure, label));
    fprintf(file, "tags = %d\n", figure->series == GAIN_BY_SIZE);
    fprintf(file, "logx = %d\nlogy = %d\nbinary = %d\nzero = %d\n", !!(figure->axes & LOG_X),
            !!(figure->axes & LOG_Y), !!(figure->axes & POWERS_OF_TWO), !!(figure->axes & FROM_ZERO));
    fprintf(file, "level = %d\n",
            figure->quantity == TIMES_AS_FAST || figure->quantity == OVER_FLOOR ||
                figure->series == GAIN_BY_SIZE);
    fprintf(file, "cache = %.9g\n", size_of_cache(plot));
    settings.marks = print_paper_points(file, plot, data);
    struct figure_data drawn = figure_data_read(data);
    figure_says(plot, &drawn, settings.says, sizeof settings.says);
    figure_data_free(&drawn);
    if (second)
        print_setting(file, "second", second);
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written: %s", path, strerror(errno));
    return settings;
}
