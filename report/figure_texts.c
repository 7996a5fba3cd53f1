#include "report/figure_texts.h"

#include <math.h>
#include <string.h>

/* ---- the caption ---- */

/* Returns the place of `word` in a list of words that blanks separate, or -1 if it is not there. */
static int place_in(const char *list, const char *word)
{
    int place = 0;
    for (size_t length; list && *list; list += length + strspn(list + length, " "), place++) {
        length = strcspn(list, " ");
        if (strlen(word) == length && strncmp(list, word, length) == 0)
            return place;
    }
    return -1;
}

static int print_place(const struct figure *figure, const struct result *r, char *text, size_t bytes)
{
    if (strcmp(figure->place, "ours") == 0)
        return 0;
    bool other = r && figure->only && strcmp(figure->only, r->experiment) != 0;
    int program = r ? place_in(figure->parts, r->experiment) : -1,
        part = program >= 0  ? program
               : r && !other ? place_in(figure->parts, r->device_name)
                             : -1;
    if (part < 0)
        return snprintf(text, bytes, "%s%s: ", other ? "after " : "", figure->place);
    return snprintf(text, bytes, "%s (%c): ", figure->place, 'a' + part);
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

/* Prints a whole number with a comma before each three digits. */
static int print_grouped(double number, char *text, size_t bytes)
{
    char digits[32];
    size_t length = 0;
    int count = snprintf(digits, sizeof digits, "%.0f", number);
    for (int i = 0; i < count && length + 3 < bytes; i++) {
        text[length++] = digits[i];
        if ((count - 1 - i) % 3 == 0 && i + 1 < count)
            text[length++] = ',';
    }
    text[length] = '\0';
    return (int)length;
}

static bool is_quick(const struct result *r)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, cJSON_GetObjectItem(r->json, "command"))
    {
        const char *text = cJSON_GetStringValue(word), *next = cJSON_GetStringValue(word->next);
        if (text && next && strcmp(text, "--extent") == 0 && strcmp(next, "quick") == 0)
            return true;
    }
    return false;
}

/* Writes the sizes of the result's problems and, if asked, how many threads its blocks have, after the text's
 * first `length` characters. Returns the new length. */
static int print_sizes(const struct result *r, bool with_threads, char *text, size_t bytes, int length)
{
    struct size_word of_size = size_word(r->experiment);
    const char *word = of_size.word, *comma = length ? ", " : "";
    double size[2] = {0}, threads[2];
    if (word)
        range_of(r, of_size.member, size);
    range_of(r, "threads", threads);
    if (word && size[0] > 0) {
        length += snprintf(text + length, bytes - (size_t)length, "%s", comma);
        length += print_grouped(size[0], text + length, bytes - (size_t)length);
        if (size[1] > size[0]) {
            length += snprintf(text + length, bytes - (size_t)length, " to ");
            length += print_grouped(size[1], text + length, bytes - (size_t)length);
        }
        length += snprintf(text + length, bytes - (size_t)length, " %s", word);
        comma = ", ";
    }
    if (*text_of(r->parameters, "diagonals"))
        length += snprintf(text + length, bytes - (size_t)length, ", %s anti-diagonals sampled",
                           text_of(r->parameters, "diagonals"));
    const char *lengths = text_of(r->parameters, "lengths");
    const char *times = strchr(lengths, 'x');
    if (word && times) {
        length += snprintf(text + length, bytes - (size_t)length, "%s%.*s x %s letters a pair", comma,
                           (int)(times - lengths), lengths, times + 1);
        comma = ", ";
    }
    if (with_threads && threads[0] > 0 && threads[0] == threads[1])
        length += snprintf(text + length, bytes - (size_t)length, "%s%g threads a block", comma, threads[0]);
    return length;
}

/* Returns whether the figure shows the sizes of the result that it is drawn from, and no others. */
static bool shows_own_sizes(const struct figure *figure)
{
    return figure->series != GAIN_BY_SIZE && figure->series != BESIDE_LIBRARY &&
           figure->series != MEASURED_AND_PREDICTED;
}

static void print_all_sizes(const struct plot *plot, char *text, size_t bytes)
{
    int length = is_quick(plot->result) ? snprintf(text, bytes, "quick: small sizes") : 0;
    bool two_programs = plot->figure->series == SWAT_AND_BITONIC;
    if (shows_own_sizes(plot->figure))
        length = print_sizes(plot->result, !two_programs, text, bytes, length);
    if (two_programs) {
        char name[64];
        snprintf(name, sizeof name, "bitonic%s", plot->figure->result + strcspn(plot->figure->result, "@"));
        struct result *other = result_open(plot->folder, name);
        if (other)
            print_sizes(other, false, text, bytes, length);
    }
}

const char *const algorithm_names[ALGORITHMS][2] = {
    {"fft", "FFT"}, {"swat", "Smith-Waterman"}, {"bitonic", "bitonic sort"}};

static const char *algorithm_name(const char *experiment)
{
    for (size_t i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithm_names[i][0], experiment) == 0)
            return algorithm_names[i][1];
    return experiment;
}

struct caption caption_of(const struct plot *plot)
{
    const struct figure *figure = plot->figure;
    const struct result *r = plot->result;
    struct caption caption = {"", ""};
    const char *mark = strstr(figure->title, "%s");
    char *text = caption.heading;
    size_t bytes = sizeof caption.heading;
    int length = print_place(figure, r, text, bytes);
    if (mark)
        snprintf(text + length, bytes - (size_t)length, "%.*s%s%s", (int)(mark - figure->title),
                 figure->title, r ? algorithm_name(r->experiment) : "", mark + 2);
    else
        snprintf(text + length, bytes - (size_t)length, "%s", figure->title);
    if (r)
        print_all_sizes(plot, caption.sizes, sizeof caption.sizes);
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
        const char *mark = strstr(title, "%s");
        table_add(&t, "%s | %.*s%s%s", f->place, mark ? (int)(mark - title) : (int)strlen(title), title,
                  mark ? "each program" : "", mark ? mark + 2 : "");
        table_cells(&t, *f->result == '*' ? "%s-*.svg" : "%s.svg", f->name);
        table_cells(&t, "%s", figure_command(f, command, sizeof command));
    }
    table_end(&t, form, file);
}
