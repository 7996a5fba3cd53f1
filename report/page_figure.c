/* Prints the figures of a page: first how to read all of them, then each figure with its command, its data
 * and links to the results that it shows. */
#include "base/failure.h"
#include "base/file.h"
#include "harness/methods.h"
#include "report/page.h"
#include "report/figures.h"
#include "report/gnuplot.h"
#include "report/table.h"
#include "harness/methods.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Returns the program of a figure that exists once for each program of a family and whose name ends in
 * -PROGRAM; "" for any other figure. */
static const char *program_of(const struct drawn *drawn)
{
    const char *program = drawn->name + strlen(drawn->figure->name);
    return program + (*program == '-');
}

const char *drawn_title(const struct drawn *drawn)
{
    const struct caption *caption = &drawn->settings.caption;
    return made("%s%s%s%s", caption->heading, *caption->sizes ? " (" : "", caption->sizes,
                *caption->sizes ? ")" : "");
}

const char *drawn_source(const struct drawn *drawn)
{
    const char *of = drawn->figure->result, *sweep = strchr(of, '@');
    return *of == '*' ? made("%s%s", program_of(drawn), sweep ? sweep : "") : of;
}

/* ---- the page's part on how to read the figures ---- */

/* The hops of micro-dependency. What a hop needs of a device is not shown. */
static const struct variant hops[] = {
#define NEEDS_SLEEP NULL
#define NEEDS_VECTORS NULL
#define FIELDS(...) __VA_ARGS__
#define HOP(id, fields, ...) {fields},
#include "micro/hops/hops.def"
#undef HOP
#undef FIELDS
};
#define HOPS (sizeof hops / sizeof *hops)

/* The parts of micro-components. What a part needs of a device is not shown. */
static const struct variant parts[] = {
#define PART(id, part, threads, how, text, ...) {.name = part, .summary = text},
#include "micro/components/components.def"
#undef PART
};
#define PARTS (sizeof parts / sizeof *parts)

/* Prints what each variant is that the folder's result `name` has, with the variant's colour if it has
 * one. With `tells_order` also prints whether it orders memory. */
static void print_variants(const struct page *page, const char *name, const char *text,
                           const struct variant *variants, size_t count, bool tells_order)
{
    struct result *r = result_open(page->folder, name);
    if (!r)
        return;
    fprintf(page->file,
            "<p>%s</p>\n<div class=\"wide\" tabindex=\"0\">\n<table class=\"variants\">\n<tbody>\n", text);
    for (const struct variant *v = variants; v < variants + count; v++) {
        char dark[8];
        const char *plain = named_plainly(v->name);
        bool has_plain = strcmp(plain, v->name) != 0;
        const char *color = style_of(v->name).color;
        if (!result_point(r, v->name, -1, -1, -1))
            continue;
        fputs("<tr><td>", page->file);
        if (has_style(v->name)) {
            html(page->file, "<span class=\"swatch\" style=\"background: light-dark(%s, %s)\"></span> ",
                 color, dark_color(dark, color));
        }
        html(page->file, "%s%s%s%s</td><td>%s</td>", plain, has_plain ? " (" : "", has_plain ? v->name : "",
             has_plain ? ")" : "", v->summary);
        if (tells_order)
            html(page->file, "<td>%s</td>", v->ordered ? "ordered" : "unordered");
        fputs("</tr>\n", page->file);
    }
    fputs("</tbody>\n</table>\n</div>\n", page->file);
}

void print_reading(const struct page *page)
{
    fputs(
        "<details id=\"reading\"><summary>How to read the figures, and what their names mean</summary>\n"
        "<p>Bars in full colour and lines drawn through are <strong>ordered</strong>: the memory model "
        "guarantees that a read after the barrier gets what was written before it. Faint bars, hollow dots "
        "and dashed lines are <strong>unordered</strong>: they lack a fence, as the papers' barriers do, or "
        "are no barrier at all. An upright stroke is the 95 % interval of a median. Under each figure stand "
        "the command that makes its results, its data, and the results that they are from.</p>\n",
        page->file);
    print_variants(page, "micro-barrier",
                   "The methods to synchronize between two steps, each with the colour that it has in every "
                   "figure of curves:",
                   sync_variants, SYNC_METHODS, true);
    print_variants(page, "micro-dependency",
                   "The hops, by which a block tells another that its data are there:", hops, HOPS, true);
    print_variants(page, "micro-components", "The parts of barriers, in the table of components:", parts,
                   PARTS, false);
    fputs("</details>\n", page->file);
}

/* ---- links ---- */

/* Returns the relative path from the folder `from` to the file or folder `to`, or NULL if one of them does
 * not exist. */
static const char *relative_path(const char *from, const char *to)
{
    char start[PATH_MAX + 1], end[PATH_MAX];
    const char *up = "";
    size_t shared = 0;
    if (!realpath(from, start) || !realpath(to, end))
        return NULL;
    strcat(start, "/");
    for (size_t i = 0; start[i] && start[i] == end[i]; i++)
        if (start[i] == '/')
            shared = i + 1;
    for (const char *at = start + shared; (at = strchr(at, '/')); at++)
        up = made("%s../", up);
    return made("%s%s", up, end + shared);
}

/* Prints a link, with " and " before it unless it is the first one (*links is 0), and adds 1 to *links. */
static void print_link(const struct page *page, const char *to, const char *text, size_t *links)
{
    const char *path = relative_path(page->plots, to);
    if (path)
        html(page->file, "%s<a href=\"%s\">%s</a>", (*links)++ ? " and " : ", from ", path, text);
}

static void print_result_link(const struct page *page, const char *folder, const char *name, size_t *links)
{
    int length = (int)strcspn(name, "@");
    print_link(page, made("%s/%.*s.json", folder, length, name),
               made("%.*s.json%s", length, name, name + length), links);
}

/* Prints links to the results from which the figure is drawn (by report/series.c and
 * report/papers/series.c). */
static void print_sources(const struct page *page, const struct drawn *drawn)
{
    const char *source = drawn_source(drawn);
    size_t links = 0;
    switch (drawn->figure->series) {
    case GAIN_BY_SIZE:
        print_result_link(page, page->folder, made("%s@sizes", source), &links);
        break;
    case BESIDE_LIBRARY:
        print_result_link(page, page->folder, made("%s@few", source), &links);
        print_result_link(page, page->folder, made("%s@sizes", source), &links);
        break;
    case MEASURED_AND_PREDICTED:
        print_link(page, made("%s/predicted", page->folder), "predicted/", &links);
        print_link(page, page->folder, "what was measured", &links);
        break;
    default:
        print_result_link(page, page->folder, source, &links);
        if (drawn->figure->series == SHARES)
            print_result_link(page, page->folder, "micro-barrier", &links);
        else if (drawn->figure->series == SWAT_AND_BITONIC)
            print_result_link(page, page->folder, "bitonic", &links);
        else if (drawn->figure->series == OUTCOMES && page->device)
            print_link(page, "results/reference/memory-machine/micro-litmus.json", "the memory machine's",
                       &links);
    }
}

/* Prints the command that made the figure's result, up to its option --json. The command is read from the
 * result file. Returns whether the result has one. */
static bool print_own_command(const struct page *page, const struct drawn *drawn)
{
    struct result *r = result_open(page->folder, drawn_source(drawn));
    const cJSON *word = r ? cJSON_GetObjectItem(r->json, "command") : NULL;
    bool any = false;
    for (word = word ? word->child : NULL; word; word = word->next) {
        if (!cJSON_IsString(word) || strcmp(word->valuestring, "--json") == 0)
            break;
        fputs(any ? " " : "", page->file);
        print_html(page->file, word->valuestring);
        any = true;
    }
    return any;
}

/* Prints the command that measures what the figure shows. On a machine's page this is the figure's command
 * with the machine as the device. The figures of the abstract machines show several machines, so the command
 * is read from their result instead. */
static void print_command(const struct page *page, const struct drawn *drawn)
{
    static const char machine[] = "machine-", quick[] = "-quick";
    const char *device = check_folder(page->folder), *command = figure_command(drawn->figure);
    size_t whole = strlen(device);
    /* the folder of a run with QUICK=1 has this name (scripts/run) */
    bool is_quick = whole > strlen(quick) && strcmp(device + whole - strlen(quick), quick) == 0;
    bool runs = strncmp(command, "make ", 5) == 0;
    fputs("<span class=\"made\">Made by <code>", page->file);
    if (page->device || !runs || !print_own_command(page, drawn)) {
        print_html(page->file, command);
        if (runs && strncmp(device, machine, strlen(machine)) == 0)
            fprintf(page->file, " DEVICE=%.*s",
                    (int)(whole - strlen(machine) - (is_quick ? strlen(quick) : 0)),
                    device + strlen(machine));
        if (runs && is_quick)
            fputs(" QUICK=1", page->file);
    }
    fputs("</code>.", page->file);
}

/* ---- a figure ---- */

static void print_base64(FILE *file, const char *text, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; bytes; text += bytes > 3 ? 3 : bytes, bytes -= bytes > 3 ? 3 : bytes) {
        unsigned char three[3] = {0, 0, 0};
        memcpy(three, text, bytes > 3 ? 3 : bytes);
        unsigned bits = (unsigned)three[0] << 16 | (unsigned)three[1] << 8 | three[2];
        for (size_t i = 0; i < 4; i++)
            fputc(i <= bytes ? digits[bits >> (18 - 6 * i) & 63] : '=', file);
    }
}

/* The height of the two lines at the top of a drawing that repeat the figure's heading on the page. */
#define HEADING 52

/* Prints the address of a drawing. The address contains the drawing itself instead of its file's name, so
 * that the page is one file. The view box leaves out the drawing's heading. `kind` is NARROW or "". */
static void print_address(const struct page *page, const struct drawn *drawn, const char *kind)
{
    const char *path = made("%s/%s%s.svg", page->plots, drawn->name, kind);
    char *whole = NULL;
    int width, height;
    size_t bytes;
    char *svg = file_text(path), *box = svg ? strstr(svg, "viewBox=\"0 0 ") : NULL;
    if (!svg)
        fail(EXIT_BAD_INPUT, "%s cannot be read", path);
    FILE *cropped = open_memstream(&whole, &bytes);
    if (!cropped)
        fail(EXIT_BAD_INPUT, "no memory for %s", path);
    if (box && sscanf(box, "viewBox=\"0 0 %d %d\"", &width, &height) == 2)
        fprintf(cropped, "%.*sviewBox=\"0 %d %d %d\"%s", (int)(box - svg), svg, HEADING, width,
                height - HEADING, strchr(box + strlen("viewBox=\""), '"') + 1);
    else
        fputs(svg, cropped);
    fclose(cropped);
    fputs("data:image/svg+xml;base64,", page->file);
    print_base64(page->file, whole, bytes);
    free(whole);
    free(svg);
}

static void print_drawing(const struct page *page, const struct drawn *drawn)
{
    fputs("<picture><source media=\"(max-width: 46rem)\" srcset=\"", page->file);
    print_address(page, drawn, NARROW);
    html(page->file, "\"/><img alt=\"%s\" src=\"", drawn_title(drawn));
    print_address(page, drawn, "");
    fputs("\"/></picture>\n", page->file);
}

/* Prints the meaning of the stars, diamonds and lines that mark a paper's numbers in the figure. */
static void print_marks(const struct page *page, const struct drawn *drawn)
{
    struct paper_marks marks = drawn->settings.marks;
    if (marks.stars)
        fputs(" Stars: what the paper says of its own GPU.", page->file);
    if (marks.diamonds)
        fputs(" Diamonds: a ratio or a difference that the paper prints, applied to a curve of this figure.",
              page->file);
    if (marks.lines)
        fputs(" Dotted, upright: where the paper has it.", page->file);
}

void print_figure(const struct page *page, const struct drawn *drawn)
{
    html(page->file, "<figure id=\"figure-%s\">\n<h3><a href=\"#figure-%s\">%s</a></h3>\n", drawn->name,
         drawn->name, drawn->settings.caption.heading);
    if (*drawn->settings.caption.sizes) {
        html(page->file, "<p class=\"note\">%s</p>\n", drawn->settings.caption.sizes);
    }
    if (drawn->has_drawing)
        print_drawing(page, drawn);
    else
        fputs("<p class=\"note\">Not drawn, since gnuplot is not installed.</p>\n", page->file);
    fputs("<figcaption>", page->file);
    if (*drawn->settings.says) {
        html(page->file, "<strong class=\"says\">%s</strong> ", drawn->settings.says);
    }
    print_html(page->file, drawn->figure->help);
    print_marks(page, drawn);
    fputs(strcmp(drawn->figure->place, "ours") == 0 ? " <em>Not in the papers.</em> " : " ", page->file);
    print_command(page, drawn);
    fprintf(page->file, " Data: <a href=\"%s.dat\">%s.dat</a>", drawn->name, drawn->name);
    print_sources(page, drawn);
    fputs(".</span></figcaption>\n</figure>\n", page->file);
}
