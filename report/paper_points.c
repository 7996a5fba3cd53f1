#include "report/paper_points.h"
#include "report/suite_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a number of a paper is drawn in a figure. */
enum place {
    AT,
    AT_REST_OF_100, /* a star at 100 minus the number */
    LINE,           /* an upright line at this number of blocks */
    /* a star for each number of a list, at the number in the same place of the paper's list `x` */
    LIST
};

static const struct paper_point {
    /* the preset, figure and experiment; preset "" and experiment "study" stand for the abstract machines */
    const char *preset, *figure, *experiment;
    /* where a star stands: a number or the name of a bar; for a LINE the height of its label, or "" for
     * 0.35 */
    const char *x;
    enum place place;
    const char *paper, *path; /* the number's path in results/papers/PAPER.json */
    const char *label;
} points[] = {
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "30", AT, "xiao-feng-2010",
     "micro-barrier.cpu_implicit_ms.value", "cpu-implicit"},
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "30", AT, "xiao-feng-2010",
     "micro-barrier.computation_ms.value", "computation"},
    {"gtx280", "micro-barrier-figure8", "micro-barrier", "0.75", LINE, "xiao-feng-2010",
     "micro-barrier.lock_based_crosses_cpu_implicit_at_blocks.value", "lock-based is slower from here"},
    {"gtx570", "li-table3", "nw", "nw.sizes", LIST, "li-2015", "nw.data-parallel", "data-parallel"},
    {"gtx570", "li-table3", "nw", "nw.sizes", LIST, "li-2015", "nw.tiny-lock", "tiny-lock"},
    {"titanx", "wang-figure10-full", "swat-batch", "3200", AT, "wang-2017",
     "figure_9_and_10.SW2.average_gcups_of_3200", "shuffle, with copies"},
    {"gtx280", "figure10-paper", "fft", "30", AT, "xiao-feng-2010", "fft.cpu_implicit_ms_30_blocks.value",
     "cpu-implicit"},
    {"gtx280", "figure10-paper", "fft", "30", AT, "xiao-feng-2010", "fft.lock_free_ms_30_blocks.value",
     "lock-free"},
#define OF_EACH(program)                                                                                     \
    {"gtx280",                                                                                               \
     "figure12-paper",                                                                                       \
     program,                                                                                                \
     "cpu-implicit",                                                                                         \
     AT_REST_OF_100,                                                                                         \
     "xiao-feng-2010",                                                                                       \
     program ".communication_percent.value",                                                                 \
     ""},                                                                                                    \
        {"gtx280",                                                                                           \
         "figure12-paper",                                                                                   \
         program,                                                                                            \
         "lock-free",                                                                                        \
         AT_REST_OF_100,                                                                                     \
         "xiao-feng-2010",                                                                                   \
         program ".lock_free_communication_percent.value",                                                   \
         ""},                                                                                                \
    {                                                                                                        \
        "gtx280", "figure13-paper", program, "", LINE, "xiao-feng-2010",                                     \
            program ".lock_free_fence_slower_than_cpu_implicit_above_blocks.value",                          \
            "lock-free is slower from here"                                                                  \
    }
    OF_EACH("fft"),
    OF_EACH("swat"),
    OF_EACH("bitonic"),
    {"k1200", "wang-figure3", "micro-latency", "shuffle", AT, "wang-2017", "micro-latency.shuffle", ""},
    {"k1200", "wang-figure3", "micro-latency", "shared", AT, "wang-2017", "micro-latency.shared", ""},
    {"k1200", "wang-figure3", "micro-latency", "syncthreads-1", AT, "wang-2017", "micro-latency.syncthreads",
     ""},
    {"", "nakano-figure2", "study", "", LINE, "nakano-2013", "figure_2.time_units.value", "all complete"},
};

static bool is_of(const struct paper_point *p, const struct figure *figure, const struct result *result,
                  const char *experiment)
{
    const char *preset = result ? result->device_name : "";
    size_t length = strlen(p->experiment); /* the experiment may be one of a sweep: NAME@SWEEP */
    return (!result || result->machine) && strcmp(p->preset, preset) == 0 &&
           strcmp(p->figure, figure->name) == 0 && strncmp(experiment, p->experiment, length) == 0 &&
           strchr("@", experiment[length]);
}

/* Returns where a bar stands: bars stand at 0, 1, ... in the order of the data. In the data the name may
 * be followed by the number of blocks. */
static double place_of_bar(const char *data, const char *name)
{
    char line[512];
    double row = 0, found = NAN;
    size_t length = strlen(name);
    FILE *file = fopen(data, "r");
    while (file && isnan(found) && fgets(line, sizeof line, file)) {
        bool same = line[0] == '"' && strncmp(line + 1, name, length) == 0;
        if (same && (line[length + 1] == '"' || line[length + 1] == ' '))
            found = row;
        row++;
    }
    if (file)
        fclose(file);
    return found;
}

static double place_of(const char *data, const char *x)
{
    char *end;
    double number = strtod(x, &end);
    return *x && !*end ? number : place_of_bar(data, x);
}

static double paper_value(const struct paper_point *p)
{
    char path[128];
    snprintf(path, sizeof path, "results/papers/%s.json", p->paper);
    cJSON *paper = json_of_suite(path);
    double value = number_of(paper, p->path);
    cJSON_Delete(paper);
    return p->place == AT_REST_OF_100 ? 100 - value : value;
}

#define RIGHT 20 /* a label right of this has no room on the right */

static void print_line(FILE *file, double x, const char *height, const char *label)
{
    fprintf(file, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead dt 3 lw 1.5\n", x, x);
    fprintf(file, "set label at first %.9g, graph %s \" paper: %s \" %s noenhanced front\n", x,
            *height ? height : "0.35", label, x > RIGHT ? "right" : "left");
}

/* Prints a star with a label above or below it. `label` may be NULL; then there is no label. */
static void print_star(FILE *file, double x, double y, const char *label, bool below)
{
    fprintf(file, "set label at %.9g,%.9g \"%s%s%s\" right noenhanced point pt 3 ps 1.6 offset -1,%s front\n",
            x, y, label ? "paper" : "", label && *label ? ": " : "", label ? label : "",
            below ? "-0.8" : "0.8");
}

/* Prints a star for each number of a list, the last one with the label. Returns the highest number. */
static double print_list(FILE *file, const struct paper_point *p)
{
    char path[128];
    double top = 0;
    snprintf(path, sizeof path, "results/papers/%s.json", p->paper);
    cJSON *paper = json_of_suite(path);
    const cJSON *x = member_of(paper, p->x), *y = member_of(paper, p->path);
    for (int i = 0; i < cJSON_GetArraySize(y); i++) {
        double value = cJSON_GetNumberValue(cJSON_GetArrayItem(y, i));
        print_star(file, cJSON_GetNumberValue(cJSON_GetArrayItem(x, i)), value,
                   i + 1 == cJSON_GetArraySize(y) ? p->label : NULL, false);
        top = fmax(top, value);
    }
    cJSON_Delete(paper);
    return top;
}

void print_paper_points(FILE *file, const struct figure *figure, const struct result *result,
                        const char *data)
{
    double top = 0;
    size_t stars = 0;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const struct paper_point *p = &points[i];
        if (!is_of(p, figure, result, result ? result->experiment : "study"))
            continue;
        if (p->place == LIST) {
            top = fmax(top, 1.05 * print_list(file, p));
            continue;
        }
        double value = paper_value(p), x = p->place == LINE ? NAN : place_of(data, p->x);
        if (p->place == LINE)
            print_line(file, value, p->x, p->label);
        else if (!isnan(x))
            print_star(file, x, value, p->label, stars++ % 2 == 1);
        if (p->place != LINE)
            top = fmax(top, 1.05 * value);
    }
    fprintf(file, "least_top = %.9g\n", top);
}

struct paper_marks paper_marks_of(const struct figure *figure, const struct result *device,
                                  const char *program, const char *data)
{
    struct paper_marks marks = {false, false};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const struct paper_point *p = &points[i];
        if (!is_of(p, figure, device, *program ? program : figure->result))
            continue;
        if (p->place == LINE)
            marks.lines = true;
        else if (p->place == LIST || !isnan(place_of(data, p->x)))
            marks.stars = true;
    }
    return marks;
}
