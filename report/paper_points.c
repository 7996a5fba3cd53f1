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

/* the files of results/papers/ with numbers that figures mark: one a paper, named after its authors and year
 * */
#define PAPERS "*-[12][0-9][0-9][0-9].json"

enum { STARS, DIAMONDS, LINES, KINDS };
static const char *const names[KINDS] = {"stars", "diamonds", "lines"};

/* The marks of one figure while they are collected: the rows of each kind as a text. */
struct marking {
    const struct plot *plot;
    const char *data;
    struct sources sources;
    struct kind {
        const char *rows; /* the rows of the kind's data set */
        int count;
    } kinds[KINDS];
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

static void add(struct kind *kind, const char *row)
{
    kind->rows = made("%s%s\n", kind->count++ ? kind->rows : "", row);
}

static void add_point(struct marking *m, const cJSON *mark, double x)
{
    const char *formula = text_of(mark, "y"), *curve = text_of(mark, "curve");
    const char *first = strstr(formula, "paper(");
    bool diamond = reads_a_result(formula) || (first && strstr(first + 1, "paper("));
    double y = value_at(m, formula, x), panel = number_of(mark, "panel");
    if (!isfinite(x) || !isfinite(y))
        return;
    add(&m->kinds[diamond ? DIAMONDS : STARS],
        made("%.9g %.9g %d %g", x, y, *curve ? (int)strtol(style_of(curve).color + 1, NULL, 16) : 0,
             isnan(panel) ? 0 : panel));
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
    if (isfinite(x))
        add(&m->kinds[LINES], made("%.9g %g \"%s\"", x, isnan(panel) ? 0 : panel, text_of(mark, "says")));
}

struct paper_marks print_paper_points(FILE *file, const struct plot *plot, const char *data)
{
    struct marking m = {.plot = plot, .data = data, .sources = {.folder = plot->folder}};
    const char *pattern = made("%s/" PAPERS, suite_path("results/papers"));
    glob_t papers;
    if (glob(pattern, 0, NULL, &papers))
        fail(EXIT_BAD_INPUT, "there is no %s", pattern);
    for (size_t i = 0; i < papers.gl_pathc; i++) {
        cJSON *paper = json_need(papers.gl_pathv[i]);
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
    for (int k = 0; k < KINDS; k++) {
        fprintf(file, "%s = %d\n", names[k], m.kinds[k].count);
        if (m.kinds[k].count)
            fprintf(file, "$%s << END\n%sEND\n", names[k], m.kinds[k].rows);
    }
    return (struct paper_marks){m.kinds[STARS].count > 0, m.kinds[DIAMONDS].count > 0,
                                m.kinds[LINES].count > 0};
}
