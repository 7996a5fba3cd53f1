#include "report/figure_texts.h"

#include <string.h>

const char *figure_title(const struct figure *figure, const char *program, char *text, size_t bytes)
{
    const char *mark = strstr(figure->title, "%s");
    if (mark)
        snprintf(text, bytes, "%.*s%s%s", (int)(mark - figure->title), figure->title, program, mark + 2);
    else
        snprintf(text, bytes, "%s", figure->title);
    return text;
}

const char *figure_command(const struct figure *figure, char *text, size_t bytes)
{
    if (strcmp(figure->result, "study") == 0)
        snprintf(text, bytes, "scripts/memory-machine-study");
    else if (figure->series == MEASURED_AND_PREDICTED)
        snprintf(text, bytes, "scripts/predict");
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
    table_row(&t);
    table_text(&t, "where");
    table_text(&t, "figure");
    table_text(&t, "plots/DEVICE/");
    table_text(&t, "made by");
    for (size_t i = 0; i < figures_count; i++) {
        const struct figure *f = &figures[i];
        const char *title =
            strncmp(f->title, "%s: ", 4) == 0 || strncmp(f->title, "%s, ", 4) == 0 ? f->title + 4 : f->title;
        const char *mark = strstr(title, "%s");
        table_row(&t);
        table_text(&t, "%s", f->place);
        table_text(&t, "%.*s%s", mark ? (int)(mark - title) : (int)strlen(title), title,
                   mark ? "each program" : "");
        table_text(&t, *f->result == '*' ? "%s-*.svg" : "%s.svg", f->name);
        table_text(&t, "%s", figure_command(f, command, sizeof command));
    }
    table_print(&t, form, file);
    table_free(&t);
}
