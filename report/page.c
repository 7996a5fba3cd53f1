/* The page that shows a device's tables and figures. */
#include "base/file.h"
#include "report/figures.h"
#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }\n"
    "img { max-width: 100%; background: #fff; }\n"
    "figure { margin: 2rem 0; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: 14px; }\n"
    "td, th { text-align: left; padding: 0.1rem 1rem 0.1rem 0; font-variant-numeric: tabular-nums; "
    "vertical-align: top; }\n";

static struct result *any_result(const char *folder, const struct drawn *drawn, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *of = drawn[i].figure->of;
        if (*of == '*') /* NAME-PROGRAM */
            of = drawn[i].name + strlen(drawn[i].figure->name) + 1;
        struct result *r = strcmp(of, "study") == 0 ? NULL : result_open(folder, of);
        if (r)
            return r;
    }
    return NULL;
}

static void print_head(FILE *file, const struct result *r)
{
    char title[512];
    snprintf(title, sizeof title, "%s: %s", r ? r->device_name : "Abstract machines",
             r && !r->machine ? "measured"
             : r              ? "predicted by the memory machine"
                              : "Nakano 2013");
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>gpusync: ",
          file);
    print_html(file, title);
    fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    print_html(file, title);
    fputs("</h1>\n", file);
    if (!r)
        return;
    fputs("<p>Revision ", file);
    print_html(file, text_of(r->json, "revision"));
    fputs(is_true(r->json, "dirty") ? " with changes, " : ", ", file);
    print_html(file, text_of(r->json, "created"));
    fputs(
        ". A barrier is <em>unordered</em> (dashed or pale in the figures) if the PTX memory model does not "
        "guarantee what is read after it.</p>\n",
        file);
}

static void print_tables(FILE *file, const char *folder)
{
    for (size_t i = 0; i < all_tables_count; i++) {
        if (!all_tables[i].has(folder))
            continue;
        fputs("<h2>", file);
        print_html(file, all_tables[i].title);
        fputs("</h2>\n<div class=\"wide\">\n", file);
        all_tables[i].print(folder, FORM_HTML, file);
        fputs("</div>\n", file);
    }
}

static void print_figure(FILE *file, const struct drawn *d)
{
    fputs("<figure><img src=\"", file);
    print_html(file, d->name);
    fputs(".svg\" alt=\"", file);
    const char *program = d->name + strlen(d->figure->name); /* of a family: -PROGRAM */
    char title[512];
    print_html(file, d->figure->place);
    fputs(": ", file);
    print_html(file, figure_title(d->figure, program + (*program == '-'), title, sizeof title));
    fputs("\"/></figure>\n", file);
}

void write_page(const char *folder, const char *plots, const struct drawn *drawn, size_t count)
{
    char path[600];
    snprintf(path, sizeof path, "%s/index.html", plots);
    struct new_file page = file_begin(path);
    FILE *file = page.file;
    struct result *r = any_result(folder, drawn, count);
    print_head(file, r);
    print_tables(file, folder);
    fputs("<h2>Figures</h2>\n", file);
    for (size_t i = 0; i < count; i++)
        print_figure(file, &drawn[i]);
    fputs("</body>\n</html>\n", file);
    result_close(r);
    file_finish(&page);
}
