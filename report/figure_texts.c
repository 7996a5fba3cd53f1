#include "report/figure_texts.h"
#include "report/claim_value.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- the caption ---- */

static void append_place(const struct figure *figure, const struct result *r, char *text, size_t bytes)
{
    if (strcmp(figure->place, "ours") == 0)
        return;
    bool other = r && figure->only && strcmp(figure->only, r->experiment) != 0;
    int part = r ? place_in(figure->parts, ' ', r->experiment, strlen(r->experiment)) : -1;
    if (r && part < 0 && !other)
        part = place_in(figure->parts, ' ', r->device_name, strlen(r->device_name));
    if (part < 0)
        append(text, bytes, "%s%s: ", other ? "after " : "", figure->place);
    else
        append(text, bytes, "%s (%c): ", figure->place, 'a' + part);
}

/* Which member of a point is the size of the problem, and what it counts. An experiment that is not in the
 * list has sizes that say nothing about the problem, such as a number of repetitions. */
static const struct size_word {
    const char *experiment, *member, *word;
} size_words[] = {
    {"fft", "size", "values"},
    {"swat", "size", "letters in each sequence"},
    {"bitonic", "size", "keys"},
    {"nw", "size", "letters in each sequence"},
    {"sum", "size", "numbers"},
    {"swat-batch", "size", "tasks in a batch"},
    {"pairhmm", "size", "tasks in a batch"},
    {"micro-barrier", "operations", "rounds measured"},
    {"micro-stencil", "size", "cells a side"},
    {"micro-megakernel", "size", "numbers in a layer"},
    {"micro-decode", "size", "numbers of a state"},
    {"micro-all-reduce", "size", "bytes of a vector"},
    {"bitonic-multi-gpu", "size", "keys"},
    {"sum-multi-gpu", "size", "numbers"},
};

static struct size_word size_word(const char *experiment)
{
    for (size_t i = 0; i < sizeof size_words / sizeof *size_words; i++)
        if (strcmp(size_words[i].experiment, experiment) == 0)
            return size_words[i];
    return (struct size_word){0};
}

const char *x_label_of(const struct plot *plot)
{
    const char *label = plot->figure->x_label, *word = NULL;
    if (label && strcmp(label, "size") == 0 && plot->result)
        word = size_word(plot->result->experiment).word;
    return word ? word : label;
}

/* Returns the smallest and the largest number with this name among the points. */
static void range_of(const struct result *r, const char *name, double range[2])
{
    range[0] = range[1] = NAN;
    FOR_EACH_POINT(p, r)
    {
        range[0] = fmin(range[0], number_of(p, name));
        range[1] = fmax(range[1], number_of(p, name));
    }
}

/* Appends the sizes of the result's problems, after the text `before`, and, if asked, how many threads its
 * blocks have. */
static void append_sizes_of(const struct result *r, const char *before, bool with_threads, char *text,
                            size_t bytes)
{
    struct size_word of_size = size_word(r->experiment);
    const char *word = of_size.word, *comma = *text ? ", " : "";
    double size[2] = {0}, threads[2];
    char number[32];
    if (word)
        range_of(r, of_size.member, size);
    range_of(r, "threads", threads);
    if (word && size[0] > 0) {
        append(text, bytes, "%s%s%s", comma, before, grouped(number, size[0]));
        if (size[1] > size[0])
            append(text, bytes, " to %s", grouped(number, size[1]));
        append(text, bytes, " %s", word);
        comma = ", ";
    }
    if (*text_of(r->parameters, "diagonals"))
        append(text, bytes, ", %s anti-diagonals sampled", text_of(r->parameters, "diagonals"));
    const char *lengths = text_of(r->parameters, "lengths");
    const char *times = strchr(lengths, 'x');
    if (word && times) {
        append(text, bytes, "%s%.*s x %s letters a pair", comma, (int)(times - lengths), lengths, times + 1);
        comma = ", ";
    }
    if (with_threads && threads[0] > 0 && threads[0] == threads[1])
        append(text, bytes, "%s%g threads a block", comma, threads[0]);
}

/* Returns whether the figure shows the sizes of the result that it is drawn from, and no others. */
static bool shows_own_sizes(const struct figure *figure)
{
    return figure->series != GAIN_BY_SIZE && figure->series != BESIDE_LIBRARY &&
           figure->series != MEASURED_AND_PREDICTED;
}

static void append_all_sizes(const struct plot *plot, char *text, size_t bytes)
{
    bool two_programs = plot->figure->series == SWAT_AND_BITONIC;
    if (strcmp(result_extent(plot->result), "quick") == 0)
        append(text, bytes, "a quick run of small sizes");
    if (shows_own_sizes(plot->figure))
        append_sizes_of(plot->result, plot->figure->quantity == MS_OF_10000 ? "scaled from " : "",
                        !two_programs, text, bytes);
    if (two_programs) {
        char name[64];
        snprintf(name, sizeof name, "bitonic%s", plot->figure->result + strcspn(plot->figure->result, "@"));
        struct result *other = result_open(plot->folder, name);
        if (other)
            append_sizes_of(other, "", false, text, bytes);
    }
}

const char *const algorithm_names[ALGORITHMS][2] = {
    {"fft", "FFT"}, {"swat", "Smith-Waterman"}, {"bitonic", "bitonic sort"}};

static const char *algorithm_name(const char *experiment)
{
    for (size_t i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithm_names[i][0], experiment) == 0)
            return algorithm_names[i][1];
    if (strcmp(experiment, "swat-batch") == 0)
        return "Smith-Waterman";
    return strcmp(experiment, "pairhmm") == 0 ? "PairHMM" : experiment;
}

/* Appends the title of a figure with the program in place of its "%s". */
static void append_title(const char *title, const char *program, char *text, size_t bytes)
{
    const char *mark = strstr(title, "%s");
    append(text, bytes, "%.*s%s%s", mark ? (int)(mark - title) : (int)strlen(title), title,
           mark ? program : "", mark ? mark + 2 : "");
}

struct caption caption_of(const struct plot *plot)
{
    const struct figure *figure = plot->figure;
    const struct result *r = plot->result;
    struct caption caption = {"", ""};
    char *text = caption.heading;
    append_place(figure, r, text, sizeof caption.heading);
    append_title(figure->title, r ? algorithm_name(r->experiment) : "", text, sizeof caption.heading);
    *text = (char)toupper((unsigned char)*text);
    if (r)
        append_all_sizes(plot, caption.sizes, sizeof caption.sizes);
    return caption;
}

/* ---- the table of figures ---- */

const char *figure_command(const struct figure *figure, char *text, size_t bytes)
{
    if (strcmp(figure->result, "study") == 0)
        snprintf(text, bytes, "scripts/memory-machine-study");
    else if (figure->series == MEASURED_AND_PREDICTED)
        snprintf(text, bytes, "scripts/predict");
    else if (strncmp(figure->result, "own-", 4) == 0)
        snprintf(text, bytes, "gpusync bench HEADER --%s TYPE",
                 strcmp(figure->result, "own-step") == 0 ? "step" : "type");
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
    table_add(&t, "where | figure | plots/DEVICE/ | made by");
    for (size_t i = 0; i < figures_count; i++) {
        const struct figure *f = &figures[i];
        const char *title =
            strncmp(f->title, "%s: ", 4) == 0 || strncmp(f->title, "%s, ", 4) == 0 ? f->title + 4 : f->title;
        char whole[256] = "";
        append_title(title, "each program", whole, sizeof whole);
        table_add(&t, *f->result == '*' ? "%s | %s | %s-*.svg | %s" : "%s | %s | %s.svg | %s", f->place,
                  whole, f->name, figure_command(f, command, sizeof command));
    }
    table_end(&t, form, file);
}
