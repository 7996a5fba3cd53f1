#include "report/figure_data.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
