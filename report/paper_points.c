#include "report/paper_points.h"
#include "report/suite_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the paper's number becomes a place in the figure. */
enum place {
    AT,
    AT_REST_OF_100, /* what it leaves of 100 percent */
    LINE,           /* upright, at so many blocks */
    LIST            /* of numbers, each at the number in the same place of the paper's list `x` */
};

static const struct paper_point {
    const char *preset, *figure, *experiment; /* "", FIGURE, "study": of the abstract machines */
    const char *x; /* a number, or the name of a bar; of a LINE: its label's height, if not 0.35 */
    enum place place;
    const char *paper, *path; /* results/papers/PAPER.json */
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
    size_t length = strlen(p->experiment); /* it may be of a sweep: NAME@SWEEP */
    return (!result || result->machine) && strcmp(p->preset, preset) == 0 &&
           strcmp(p->figure, figure->name) == 0 && strncmp(experiment, p->experiment, length) == 0 &&
           strchr("@", experiment[length]);
}

/* Bars stand at 0, 1, ... in the order of the data; a bar's name may have its blocks behind it. */
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

#define RIGHT 20 /* so far right that its label has no room there */

static void print_line(FILE *file, double x, const char *height, const char *label)
{
    fprintf(file, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead dt 3 lw 1.5\n", x, x);
    fprintf(file, "set label at first %.9g, graph %s \" paper: %s \" %s noenhanced front\n", x,
            *height ? height : "0.35", label, x > RIGHT ? "right" : "left");
}

/* `label`: NULL for a star alone; else above it or below. */
static void print_star(FILE *file, double x, double y, const char *label, bool below)
{
    fprintf(file, "set label at %.9g,%.9g \"%s%s%s\" right noenhanced point pt 3 ps 1.6 offset -1,%s front\n",
            x, y, label ? "paper" : "", label && *label ? ": " : "", label ? label : "",
            below ? "-0.8" : "0.8");
}

/* Stars, the last of them with the label; returns the highest. */
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
