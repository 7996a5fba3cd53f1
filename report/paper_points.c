#include "report/paper_points.h"
#include "report/suite_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_of(const struct paper_point *p, const struct figure *figure, const struct result *result,
                  const char *experiment)
{
    const char *preset = result ? result->device_name : "";
    size_t length = strlen(p->experiment); /* length of p->experiment, which may be NAME or NAME@SWEEP */
    return (!result || result->machine) && strcmp(p->preset, preset) == 0 &&
           strcmp(p->figure, figure->name) == 0 && strncmp(experiment, p->experiment, length) == 0 &&
           strchr("@", experiment[length]);
}

/* Returns the x of the bar with this name in the data file: bars stand at 0, 1, ... in the order of their
 * rows. In a row the name may be followed by the number of blocks. Returns NaN if no row has the name. */
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

/* A label stands to the left of its point if x is larger than this, because there is no room to the right. */
#define RIGHT 20

static void print_line(FILE *file, double x, const char *height, const char *label)
{
    fprintf(file, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead dt 3 lw 1.5\n", x, x);
    fprintf(file, "set label at first %.9g, graph %s \" paper: %s \" %s noenhanced front\n", x,
            *height ? height : "0.35", label, x > RIGHT ? "right" : "left");
}

/* Prints gnuplot's command for a star with a label above it, or with `below` below it. `label` may be NULL;
 * then the star has no label. */
static void print_star(FILE *file, double x, double y, const char *label, bool below)
{
    fprintf(file, "set label at %.9g,%.9g \"%s%s%s\" right noenhanced point pt 3 ps 1.6 offset -1,%s front\n",
            x, y, label ? "paper" : "", label && *label ? ": " : "", label ? label : "",
            below ? "-0.8" : "0.8");
}

/* Prints gnuplot's commands for a list of a paper's numbers: a star for each, and a label at the last one.
 * Returns the highest number. */
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
    for (size_t i = 0; i < paper_points_count; i++) {
        const struct paper_point *p = &paper_points[i];
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
    for (size_t i = 0; i < paper_points_count; i++) {
        const struct paper_point *p = &paper_points[i];
        if (!is_of(p, figure, device, *program ? program : figure->result))
            continue;
        if (p->place == LINE)
            marks.lines = true;
        else if (p->place == LIST || !isnan(place_of(data, p->x)))
            marks.stars = true;
    }
    return marks;
}
