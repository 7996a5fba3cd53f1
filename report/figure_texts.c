#include "base/failure.h"
#include "base/memory.h"
#include "report/claims.h"
#include "report/figures.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- the caption ---- */

/* Returns "PLACE: ", the place of the figure in a paper, or "" if it is from none. */
static const char *place_of(const struct figure *figure, const struct result *r)
{
    if (strcmp(figure->place, "ours") == 0)
        return "";
    bool other = r && figure->only && strcmp(figure->only, r->experiment) != 0;
    int part = r ? place_in(figure->parts, ' ', r->experiment, strlen(r->experiment)) : -1;
    if (r && part < 0 && !other)
        part = place_in(figure->parts, ' ', r->device_name, strlen(r->device_name));
    return part < 0 ? made("%s%s: ", other ? "after " : "", figure->place)
                    : made("%s (%c): ", figure->place, 'a' + part);
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

/* Returns `text` with the sizes of the result's problems, after the text `before`, and, if asked, how many
 * threads its blocks have. */
static const char *with_sizes_of(const char *text, const struct result *r, const char *before,
                                 bool with_threads)
{
    struct size_word of_size = size_word(r->experiment);
    const char *word = of_size.word, *comma = *text ? ", " : "";
    double size[2] = {0}, threads[2];
    if (word)
        range_of(r, of_size.member, size);
    range_of(r, "threads", threads);
    if (word && size[0] > 0) {
        bool is_range = size[1] > size[0];
        text = made("%s%s%s%s%s%s %s", text, comma, before, grouped(size[0]), is_range ? " to " : "",
                    is_range ? grouped(size[1]) : "", word);
        comma = ", ";
    }
    if (*text_of(r->parameters, "diagonals"))
        text = made("%s, %s anti-diagonals sampled", text, text_of(r->parameters, "diagonals"));
    const char *lengths = text_of(r->parameters, "lengths");
    const char *times = strchr(lengths, 'x');
    if (word && times) {
        text = made("%s%s%.*s x %s letters a pair", text, comma, (int)(times - lengths), lengths, times + 1);
        comma = ", ";
    }
    if (with_threads && threads[0] > 0 && threads[0] == threads[1])
        text = made("%s%s%g threads a block", text, comma, threads[0]);
    return text;
}

/* Returns whether the figure shows the sizes of the result that it is drawn from, and no others. */
static bool shows_own_sizes(const struct figure *figure)
{
    return figure->series != GAIN_BY_SIZE && figure->series != BESIDE_LIBRARY &&
           figure->series != MEASURED_AND_PREDICTED;
}

static const char *all_sizes(const struct plot *plot)
{
    bool two_programs = plot->figure->series == SWAT_AND_BITONIC;
    const char *text = strcmp(result_extent(plot->result), "quick") == 0 ? "a quick run of small sizes" : "";
    if (shows_own_sizes(plot->figure))
        text = with_sizes_of(text, plot->result, plot->figure->quantity == MS_OF_10000 ? "scaled from " : "",
                             !two_programs);
    struct result *other =
        two_programs
            ? result_open(plot->folder,
                          made("bitonic%s", plot->figure->result + strcspn(plot->figure->result, "@")))
            : NULL;
    return other ? with_sizes_of(text, other, "", false) : text;
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

/* Returns the title of a figure with the program in place of its "%s". */
static const char *whole_title(const char *title, const char *program)
{
    const char *mark = strstr(title, "%s");
    return made("%.*s%s%s", mark ? (int)(mark - title) : (int)strlen(title), title, mark ? program : "",
                mark ? mark + 2 : "");
}

struct caption caption_of(const struct plot *plot)
{
    const struct figure *figure = plot->figure;
    const struct result *r = plot->result;
    struct caption caption = {
        copy_text(made("%s%s", place_of(figure, r),
                       whole_title(figure->title, r ? algorithm_name(r->experiment) : ""))),
        copy_text(r ? all_sizes(plot) : "")};
    *caption.heading = (char)toupper((unsigned char)*caption.heading);
    return caption;
}

/* ---- the table of figures ---- */

const char *figure_command(const struct figure *figure)
{
    if (strcmp(figure->result, "study") == 0)
        return "scripts/memory-machine-study";
    if (figure->series == MEASURED_AND_PREDICTED)
        return "scripts/predict";
    if (strncmp(figure->result, "own-", 4) == 0)
        return made("gpusync bench HEADER --%s TYPE",
                    strcmp(figure->result, "own-step") == 0 ? "step" : "type");
    if (strncmp(figure->result, "*steps", 6) == 0)
        return "make run EXPERIMENTS=\"fft swat bitonic\"";
    if (strncmp(figure->result, "*batches", 8) == 0)
        return "make run EXPERIMENTS=\"swat pairhmm\"";
    return made("make run EXPERIMENTS=%.*s", (int)strcspn(figure->result, "-@"), figure->result);
}

int print_figures(struct arguments *a, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t, "where | figure | plots/DEVICE/ | made by");
    for (size_t i = 0; i < figures_count; i++) {
        const struct figure *f = &figures[i];
        const char *title =
            strncmp(f->title, "%s: ", 4) == 0 || strncmp(f->title, "%s, ", 4) == 0 ? f->title + 4 : f->title;
        table_add(&t, *f->result == '*' ? "%s | %s | %s-*.svg | %s" : "%s | %s | %s.svg | %s", f->place,
                  whole_title(title, "each program"), f->name, figure_command(f));
    }
    table_end(&t, a->form, file);
    return EXIT_VERIFIED;
}

/* ---- the list of figures ---- */

/* The list of all figures, in the order in which a device's page shows them, from the rooms' figures.def. */

#define XF "Xiao and Feng 2010, "
#define FX "Feng and Xiao 2010, "

const struct figure figures[] = {
#include "micro/barrier/figures.def"
#include "micro/own/figures.def"
#include "micro/gpus/figures.def"
#include "harness/figures.def"
#include "fft/figures.def"
#include "bitonic/figures.def"
#include "swat/matrix/figures.def"
#include "micro/warps/figures.def"
#include "nw/figures.def"
#include "micro/hops/figures.def"
#include "micro/decode/figures.def"
#include "micro/litmus/figures.def"
#include "micro/components/figures.def"
#include "swat/batch/figures.def"
#include "sum/figures.def"
    {.name = "fidelity",
     .script = "fidelity",
     .result = "predicted",
     .series = MEASURED_AND_PREDICTED,
     .quantity = MICROSECONDS,
     .x_label = "microseconds measured",
     .axes = LOG_X | LOG_Y,
     .title = "Time that the memory machine predicts, over the time measured",
     .place = "ours",
     .question = "machine",
     .help = "A point is one measured point of one program. On the line its prediction is exact; between the "
             "dotted lines it is within a factor of 1.5."},
};
const size_t figures_count = sizeof figures / sizeof *figures;

/* ---- questions ---- */

const struct question questions[] = {
    {"cost", "What does a barrier cost, and of what?"},
    {"algorithms", "When is a barrier in the kernel worth it?"},
    {"gpus", "What does a barrier across several GPUs cost?"},
    {"warps", "How should warps and tiles wait for each other?"},
    {"tiles", "How should blocks wait for each other's data?"},
    {"shuffles", "Shuffle or shared memory?"},
    {"memory", "What may a load return that nothing orders?"},
    {"sums", "Do algorithms with few barriers pay?"},
    {"floor", "Does a barrier in the kernel pay when the data leave the L2 cache?"},
    {"machine", "How well does the memory machine predict this GPU?"},
    {"changed", "Which results are of an older kernel?"},
};
const size_t questions_count = sizeof questions / sizeof *questions;

const char *question_text(const char *name)
{
    for (size_t i = 0; i < questions_count; i++)
        if (strcmp(questions[i].name, name) == 0)
            return questions[i].text;
    return "Others";
}
