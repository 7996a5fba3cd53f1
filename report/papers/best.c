/* Makes the table and curves that compare the suite's best algorithms, which need few barriers, with a
 * library for the same problem and with the best of the papers' algorithm. The suite's algorithm and the
 * library are compared in a stream and in a CUDA graph, always with times from the same run of a program. */
#include "base/memory.h"
#include "report/papers/papers.h"
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct peer {
    const char *program, *ours,
        /* names of the suite's variants (`ours`), separated by blanks, or "" for all except the library; and
         * name of the library's variant */
        *library;
    /* names of the results with times in a stream and in a CUDA graph; `stream` is NULL if only graphs were
     * measured */
    const char *stream, *graph;
    /* name of the result with the papers' algorithm; if NULL, the result `stream` has it, as the variant
     * `papers_variant` */
    const char *papers;
    const char *papers_variant;
} rows[] = {
    {"FFT", "", "cufft", "fft@few", "fft@few-graph", "fft@sizes", NULL},
    {"FFT, begun early", "", "cufft", NULL, "fft@few-early", NULL, NULL},
    {"bitonic sort", "", "cub-radix-sort", "bitonic@few", "bitonic@few-graph", "bitonic@sizes", NULL},
    {"bitonic sort with values", "", "cub-radix-sort", "bitonic@values", "bitonic@values-graph", NULL, NULL},
    {"sort, fastest algorithm", "", "cub-radix-sort", NULL, "bitonic@fastest", NULL, NULL},
    {"sort with values, fastest algorithm", "", "cub-radix-sort", NULL, "bitonic@fastest-values", NULL, NULL},
    {"sum", "sum-last-block sum-dataflow", "sum-cub", "sum@one-pass", "sum@one-pass-graph", NULL,
     "sum-hybrid+counter"},
    {"prefix sums", "prefix-dataflow", "prefix-cub", "sum@one-pass", "sum@one-pass-graph", NULL,
     "prefix-hybrid+counter"},
    {"sum, begun early", "sum-last-block sum-dataflow", "sum-cub", NULL, "sum@one-pass-early", NULL, NULL},
    {"prefix sums, begun early", "prefix-dataflow", "prefix-cub", NULL, "sum@one-pass-early", NULL, NULL},
};
#define ROWS (sizeof rows / sizeof *rows)

static bool is_ours(const struct peer *peer, const cJSON *p)
{
    const char *name = text_of(p, "variant");
    return is_true(p, "ordered") && is_true(p, "verified") && !is_library(name) &&
           (!*peer->ours || place_in(peer->ours, ' ', name, strlen(name)) >= 0);
}

/* Returns the fastest point of this size among the suite's own variants, or NULL if there is none. */
static const cJSON *best_of_ours(const struct peer *peer, const struct result *r, double size)
{
    const cJSON *best = NULL;
    FOR_EACH_POINT(p, r)
    if (number_of(p, "size") == size && is_ours(peer, p) &&
        (!best || run_time(r, p).us < run_time(r, best).us))
        best = p;
    return best;
}

static void add_us(struct table *t, const struct result *r, const cJSON *p)
{
    table_cells(t, "%.2F", p ? run_time(r, p).us : NAN);
}

/* Adds a cell: the ratio of the time of the suite's variant to the library's time, and the interval that
 * follows from the intervals of both. */
static void add_ratio(struct table *t, const struct result *r, const cJSON *ours, const cJSON *library)
{
    if (!ours || !library) {
        table_cells(t, "-");
        return;
    }
    struct timing ratio = time_ratio(run_time(r, ours), run_time(r, library));
    table_cells(t, "%.2F [%.2F, %.2F]", ratio.us, ratio.low, ratio.high);
}

static double papers_us(const struct peer *peer, const struct result *papers, const struct result *stream,
                        double size)
{
    static const struct peer any = {.library = "", .ours = ""};
    const cJSON *p = papers                 ? best_of_ours(&any, papers, size)
                     : peer->papers_variant ? result_point(stream, peer->papers_variant, -1, -1, size)
                                            : NULL;
    return p ? run_time(papers ? papers : stream, p).us : NAN;
}

static void add_size(struct table *t, const struct peer *peer, const struct result *stream,
                     const struct result *graph, const struct result *papers, double size)
{
    const cJSON *ours = stream ? best_of_ours(peer, stream, size) : NULL,
                *library = stream ? fastest_of(stream, peer->library, size) : NULL,
                *ours_graph = graph ? best_of_ours(peer, graph, size) : NULL,
                *library_graph = graph ? fastest_of(graph, peer->library, size) : NULL,
                *named = stream ? ours : ours_graph;
    if (!named || !(stream ? library : library_graph))
        return;
    table_add(t, "%s, 2^%g | %.2F", peer->program, log2(size), papers_us(peer, papers, stream, size));
    add_us(t, stream, ours);
    table_cells(t, "%s, %g", text_of(named, "variant"), number_of(named, "blocks"));
    add_us(t, stream, library);
    add_ratio(t, stream, ours, library);
    add_us(t, graph, ours_graph);
    add_us(t, graph, library_graph);
    add_ratio(t, graph, ours_graph, library_graph);
}

static void add_program(struct table *t, const struct peer *peer, const char *folder)
{
    struct result *stream = peer->stream ? result_open(folder, peer->stream) : NULL,
                  *graph = result_open(folder, peer->graph),
                  *papers = peer->papers ? result_open(folder, peer->papers) : NULL,
                  *sized = peer->stream ? stream : graph;
    double *sizes = NULL;
    size_t count = 0;
    if (sized)
        FOR_EACH_POINT(p, sized)
        {
            sizes = with_room(sizes, sizeof *sizes, count, 1);
            sizes[count++] = number_of(p, "size");
        }
    if (sizes)
        qsort(sizes, count, sizeof *sizes, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (!i || sizes[i] != sizes[i - 1])
            add_size(t, peer, stream, graph, papers, sizes[i]);
    free(sizes);
}

void print_best(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(&t, "values | papers' best, us | ours, us | by, blocks | library, us | ours / library | ours, "
                  "graph, us | library, graph, us | ours / library, graph");
    for (size_t i = 0; i < ROWS; i++)
        add_program(&t, &rows[i], folder);
    table_end(&t, form, file);
}

/* ---- the curves of figures: rows of x, y and the interval of y ---- */

static void write_point(const struct result *r, const cJSON *p, double size, FILE *file)
{
    struct timing time = run_time(r, p);
    if (p)
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", size, time.us, time.low, time.high);
}

bool write_best_curves(const char *folder, const char *program, FILE *file)
{
    static const struct peer any = {.library = "", .ours = ""};
    const char *name = made("%s@few", program);
    const struct peer *peer = NULL;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].stream && strcmp(rows[i].stream, name) == 0)
            peer = &rows[i];
    struct result *stream = peer ? result_open(folder, name) : NULL,
                  *papers = peer && peer->papers ? result_open(folder, peer->papers) : NULL;
    for (int curve = 0; stream && papers && curve < 3; curve++) {
        const struct result *from = curve ? stream : papers;
        for (double size = 2; size <= 1 << 30; size *= 2)
            write_point(from,
                        curve == 0   ? best_of_ours(&any, from, size)
                        : curve == 1 ? best_of_ours(peer, from, size)
                                     : fastest_of(from, peer->library, size),
                        size, file);
        fputs("\n\n", file);
    }
    return stream && papers;
}
