#include "report/draw.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/devices.h"
#include "report/formula.h"
#include "report/gnuplot.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the files of results/papers/ with numbers that figures mark: one a paper, named after its authors and year */
#define PAPERS "*-[12][0-9][0-9][0-9].json"

/* The marks of one figure while they are collected: the rows of each kind as a text. */
struct marking {
    const struct plot *plot;
    const char *data;
    struct sources sources;
    FILE *stars, *diamonds, *lines; /* the rows of the data sets */
    int stars_count, diamonds_count, lines_count;
};

/* ---- which marks belong to the figure ---- */

static bool is_of_figure(const char *name, const char *figure)
{
    size_t length = strlen(name);
    return strncmp(figure, name, length) == 0 && (!figure[length] || strcmp(figure + length, "-paper") == 0);
}

static bool is_of(const cJSON *mark, const struct plot *plot)
{
    const struct result *r = plot->result;
    const char *program = text_of(mark, "program"), *preset = text_of(mark, "preset");
    return is_of_figure(text_of(mark, "figure"), plot->figure->name) &&
           (r ? r->machine && strcmp(preset, r->device_name) == 0 : !*preset) &&
           (!*program || (r && strcmp(program, r->experiment) == 0));
}

/* ---- where a mark stands ---- */

/* Returns the x of the bar with this name in the data file: bars stand at 0, 1, ... in the order of their
 * rows. In a row the name may be followed by a blank and more. Returns NaN if no row has the name. */
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

/* Returns the name of the result that the figure shows, as result_open reads it. */
static const char *name_of_result(const struct result *r)
{
    const char *slash = r ? strrchr(r->path, '/') : NULL, *end = slash ? strstr(slash, ".json") : NULL;
    return end ? made("%.*s%s", (int)(end - slash - 1), slash + 1, end + strlen(".json")) : "";
}

/* Returns the value of the mark's formula, with {x} and {result} replaced. */
static double value_at(struct marking *m, const char *formula, double x)
{
    const char *text = "";
    for (size_t length; *formula; formula += length) {
        bool is_x = strncmp(formula, "{x}", 3) == 0, is_result = strncmp(formula, "{result}", 8) == 0;
        length = is_x ? 3 : is_result ? 8 : 1 + strcspn(formula + 1, "{");
        text = is_x        ? made("%s%.9g", text, x)
               : is_result ? made("%s%s", text, name_of_result(m->plot->result))
                           : made("%s%.*s", text, (int)length, formula);
    }
    return formula_value(text, &m->sources).is;
}

/* Returns whether the formula reads anything besides the numbers of papers. */
static bool reads_a_result(const char *formula)
{
    for (const char *at = formula; (at = strchr(at, '(')); at++) {
        size_t length = 0;
        while (at - length > formula && strchr("abcdefghijklmnopqrstuvwxyz_0123456789", at[-1 - (int)length]))
            length++;
        if (length && strncmp(at - length, "paper", length) != 0 &&
            strncmp(at - length, "listed", length) != 0)
            return true;
    }
    return false;
}

/* ---- drawing ---- */

static void add_point(struct marking *m, const cJSON *mark, double x)
{
    const char *formula = text_of(mark, "y"), *curve = text_of(mark, "curve");
    const char *first = strstr(formula, "paper(");
    bool diamond = reads_a_result(formula) || (first && strstr(first + 1, "paper("));
    double y = value_at(m, formula, x), panel = number_of(mark, "panel");
    if (!isfinite(x) || !isfinite(y))
        return;
    fprintf(diamond ? m->diamonds : m->stars, "%.9g %.9g %ld %g\n", x, y,
            *curve ? strtol(style_of(curve).color + 1, NULL, 16) : 0, isnan(panel) ? 0 : panel);
    *(diamond ? &m->diamonds_count : &m->stars_count) += 1;
}

static void add_points(struct marking *m, const cJSON *mark)
{
    const cJSON *x = cJSON_GetObjectItem(mark, "x"), *one;
    double beside = number_of(mark, "beside");
    if (cJSON_IsArray(x))
        cJSON_ArrayForEach(one, x) add_point(m, mark, cJSON_GetNumberValue(one));
    else if (cJSON_IsNumber(x))
        add_point(m, mark, x->valuedouble);
    else
        add_point(m, mark, place_of_bar(m->data, text_of(mark, "x")) + (isnan(beside) ? 0 : beside));
}

/* Adds an upright line, which plots/panel.gp draws. */
static void add_line(struct marking *m, const cJSON *mark)
{
    double x = value_at(m, text_of(mark, "line"), NAN), panel = number_of(mark, "panel");
    if (!isfinite(x))
        return;
    m->lines_count++;
    fprintf(m->lines, "%.9g %g \"%s\"\n", x, isnan(panel) ? 0 : panel, text_of(mark, "says"));
}

static void print_data(FILE *file, const char *name, int count, const char *rows)
{
    fprintf(file, "%s = %d\n", name, count);
    if (count)
        fprintf(file, "$%s << END\n%sEND\n", name, rows);
}

struct paper_marks print_paper_points(FILE *file, const struct plot *plot, const char *data)
{
    char *stars = NULL, *diamonds = NULL, *lines = NULL;
    size_t stars_bytes, diamonds_bytes, lines_bytes;
    struct marking m = {.plot = plot, .data = data, .sources = {.folder = plot->folder}};
    m.stars = open_memstream(&stars, &stars_bytes);
    m.diamonds = open_memstream(&diamonds, &diamonds_bytes);
    m.lines = open_memstream(&lines, &lines_bytes);
    if (!m.stars || !m.diamonds || !m.lines)
        fail(EXIT_BAD_INPUT, "no memory for the marks of a figure");
    char pattern[1000];
    glob_t papers;
    snprintf(pattern, sizeof pattern, "%s/" PAPERS, suite_path("results/papers"));
    if (glob(pattern, 0, NULL, &papers))
        fail(EXIT_BAD_INPUT, "there is no %s", pattern);
    for (size_t i = 0; i < papers.gl_pathc; i++) {
        cJSON *paper = json_need("%s", papers.gl_pathv[i]);
        const cJSON *mark;
        cJSON_ArrayForEach(mark, cJSON_GetObjectItem(paper, "figures"))
        {
            if (!is_of(mark, plot))
                continue;
            if (cJSON_GetObjectItem(mark, "line"))
                add_line(&m, mark);
            else
                add_points(&m, mark);
        }
    }
    globfree(&papers);
    fclose(m.stars);
    fclose(m.diamonds);
    fclose(m.lines);
    print_data(file, "stars", m.stars_count, stars);
    print_data(file, "diamonds", m.diamonds_count, diamonds);
    print_data(file, "lines", m.lines_count, lines);
    free(lines);
    free(stars);
    free(diamonds);
    return (struct paper_marks){m.stars_count > 0, m.diamonds_count > 0, m.lines_count > 0};
}
