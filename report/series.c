#include "base/memory.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bar *bars_add(struct bars *bars, const char *name, double value, bool ordered)
{
    bars->items = with_room(bars->items, sizeof *bars->items, bars->count, 1);
    struct bar *bar = &bars->items[bars->count++];
    *bar = (struct bar){.value = value, .ordered = ordered, .low = value, .high = value};
    snprintf(bar->name, sizeof bar->name, "%s", name);
    return bar;
}

void bars_add_time(struct bars *bars, const char *name, struct timing time, bool ordered)
{
    struct bar *bar = bars_add(bars, name, time.us, ordered);
    bar->low = time.low;
    bar->high = time.high;
}

void bars_sort(struct bars *bars)
{
    if (bars->items)
        qsort(bars->items, bars->count, sizeof *bars->items, compare_numbers);
}

bool bars_write(const struct plot *plot, struct bars *bars, FILE *file)
{
    bool any = false, styled = true;
    for (size_t i = 0; i < bars->count; i++)
        styled = styled && has_style(bars->items[i].name);
    for (const struct bar *b = bars->items; b < bars->items + bars->count; b++)
        if (isfinite(b->value)) {
            fprintf(file, "\"%s\"\t%.9g\t%.9g\t%d\t%ld\t%.9g\t%.9g\t%.9g\n",
                    name_in_figure(plot->figure, b->name), b->value, b->second, b->ordered,
                    strtol(style_of(styled ? b->name : "").color + 1, NULL, 16), b->low, b->high, b->third);
            any = true;
        }
    free(bars->items);
    return any;
}

static bool is_part(const char *variant)
{
    const char *dash = strrchr(variant, '-');
    return is_baseline(variant) || (dash && strcmp(dash, "-part") == 0);
}

/* Writes a bar for each barrier: the time of the barrier with a block on every multiprocessor, less the time
 * of the loop without barriers. */
static bool write_costs(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    const struct result *r = s->result;
    const cJSON *none = result_point(r, "none", r->sms, -1, -1);
    FOR_EACH_POINT(p, r)
    if (number_of(p, "blocks") == r->sms && !is_part(text_of(p, "variant")))
        bars_add_time(&bars, text_of(p, "variant"),
                      time_beyond(operation_time(r, p), operation_time(r, none)), is_true(p, "ordered"));
    bars_sort(&bars);
    return bars_write(s, &bars, file);
}

static bool write_operations(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    for (size_t i = 0; i < s->names.count; i++)
        bars_add_time(&bars, s->names.items[i],
                      operation_time(s->result, result_point(s->result, s->names.items[i], -1, -1, -1)),
                      s->names.ordered[i]);
    if (s->figure->axes & SORTED)
        bars_sort(&bars);
    return bars_write(s, &bars, file);
}

/* Returns how many different sizes the points have, up to three. */
static size_t sizes_up_to_three(const struct result *r)
{
    double sizes[2];
    size_t count = 0;
    FOR_EACH_POINT(p, r)
    {
        double size = number_of(p, "size");
        if ((count > 0 && size == sizes[0]) || (count > 1 && size == sizes[1]))
            continue;
        if (count < 2)
            sizes[count] = size;
        count += count < 3;
    }
    return count;
}

/* Returns the number of sizes that a figure of this kind needs, so that its curves have enough points. */
static size_t fewest_sizes(enum series kind)
{
    return kind == OPERATION_BY_SIZE ? 3 : kind == AGAINST_GPUS || kind == AGAINST_SIZE ? 2 : 0;
}

bool write_series(const struct plot *s, FILE *file)
{
    enum series kind = s->figure->series;
    for (size_t i = 0; i < paper_series_count; i++)
        if (paper_series[i].series == kind)
            return paper_series[i].write(s, file);
    if (kind == COST_OF_BARRIERS)
        return write_costs(s, file);
    if (kind == OPERATIONS)
        return write_operations(s, file);
    if (sizes_up_to_three(s->result) < fewest_sizes(kind))
        return false;
    write_curves(s, &s->names, file);
    return true;
}

static struct data_row row_of(const char *line)
{
    struct data_row row = {.name = ""};
    size_t place = 0;
    for (size_t i = 0; i < sizeof row.values / sizeof *row.values; i++)
        row.values[i] = NAN;
    for (; place < sizeof row.values / sizeof *row.values; place++) {
        line += strspn(line, " \t");
        if (*line == '"') {
            size_t length = strcspn(line + 1, "\"");
            if (!place)
                snprintf(row.name, sizeof row.name, "%.*s", (int)length, line + 1);
            line += length + 1 + (line[length + 1] == '"');
        } else {
            char *end;
            double value = strtod(line, &end);
            if (end == line)
                break;
            row.values[place] = value;
            line = end;
        }
    }
    return row;
}

struct figure_data figure_data_read(const char *path)
{
    struct figure_data data = {NULL, 0};
    size_t empty = 2;
    if (access(path, R_OK) != 0)
        return data;
    struct lines lines = lines_open(path);
    while (lines_next(&lines)) {
        if (!lines.length) {
            empty++;
            continue;
        }
        if (empty >= 2) {
            data.sets = with_room(data.sets, sizeof *data.sets, data.count, 1);
            data.sets[data.count++] = (struct data_set){NULL, 0};
        }
        struct data_set *set = &data.sets[data.count - 1];
        set->rows = with_room(set->rows, sizeof *set->rows, set->count, 1);
        set->rows[set->count++] = row_of(lines.text);
        empty = 0;
    }
    lines_close(&lines);
    return data;
}

void figure_data_free(struct figure_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        free(data->sets[i].rows);
    free(data->sets);
    *data = (struct figure_data){NULL, 0};
}

bool figure_is_trivial(const struct figure *figure, const struct figure_data *data)
{
    size_t longest = 0;
    for (size_t i = 0; i < data->count; i++)
        longest = data->sets[i].count > longest ? data->sets[i].count : longest;
    if (figure->series == OPERATIONS)
        return longest < 3;
    if (strcmp(figure->script, "lines") != 0)
        return longest == 0;
    bool of_paper = strcmp(figure->place, "ours") != 0 && figure->series == AGAINST_SIZE;
    size_t fewest = figure->series == AGAINST_GPUS || of_paper ? 2 : 3;
    return (data->count < 2 && figure->series != GAIN_BY_SIZE) || longest < fewest;
}
