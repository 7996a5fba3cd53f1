#include "report/drawing.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dark colours ---- */

struct rgb {
    int red, green, blue;
};

static bool read_color(const char *text, struct rgb *c)
{
    static const struct {
        const char *name;
        struct rgb color;
    } names[] = {{"black", {0, 0, 0}}, {"gray", {128, 128, 128}}, {"white", {255, 255, 255}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, text) == 0) {
            *c = names[i].color;
            return true;
        }
    char end = '\0';
    if (sscanf(text, "rgb(%d, %d, %d%c", &c->red, &c->green, &c->blue, &end) == 4)
        return end == ')';
    unsigned all;
    if (strlen(text) != 7 || sscanf(text, "#%6x", &all) != 1)
        return false;
    *c = (struct rgb){(int)(all >> 16), (int)(all >> 8 & 255), (int)(all & 255)};
    return true;
}

/* Converts the lightness of a colour (from 0 to 1) on a white page to its lightness on a dark page. White
 * becomes as dark as the page, and black becomes nearly white. A colour that is clearly visible on white
 * (lightness up to 0.6) is clearly visible on the dark page. */
static double mirrored(double light)
{
    return light <= 0.6 ? 0.92 - 0.6 * light : 0.56 - 0.47 * (light - 0.6) / 0.4;
}

/* Changes the lightness of a colour from `light` to `lightness` and returns the new value of one of its three
 * components, whose old value was `part`. Hue and saturation, as HSL defines them, stay the same. */
static int moved(int part, double light, double lightness)
{
    double room = 1 - fabs(2 * light - 1), offset = room > 0 ? (part / 255.0 - light) / room : 0;
    double value = lightness + offset * (1 - fabs(2 * lightness - 1));
    return (int)lround(255 * fmin(1, fmax(0, value)));
}

const char *dark_color(char dark[8], const char *color)
{
    struct rgb c;
    *dark = '\0';
    if (!read_color(color, &c))
        return dark;
    double most = fmax(c.red, fmax(c.green, c.blue)), least = fmin(c.red, fmin(c.green, c.blue));
    double light = (most + least) / 510, lightness = mirrored(light);
    snprintf(dark, 8, "#%02x%02x%02x", (unsigned)moved(c.red, light, lightness) & 255,
             (unsigned)moved(c.green, light, lightness) & 255,
             (unsigned)moved(c.blue, light, lightness) & 255);
    return dark;
}

/* ---- the drawing ---- */

/* The rules of a style sheet that is being made. */
struct rules {
    char (*items)[128];
    size_t count;
};

/* Adds a rule for the attribute `name` (fill, stroke or color) at `at`, if the attribute's value is a colour
 * and the same rule was not added before. */
static void add_rule(struct rules *rules, const char *at, const char *name)
{
    char value[48], rule[128], dark[8];
    const char *open = at + strlen(name);
    open += strspn(open, " =");
    size_t length = *open ? strcspn(open + 1, "'\"") : 0;
    if ((*open != '"' && *open != '\'') || length >= sizeof value)
        return;
    snprintf(value, sizeof value, "%.*s", (int)length, open + 1);
    if (!*dark_color(dark, value))
        return;
    snprintf(rule, sizeof rule, "[%s=\"%s\"] { %s: %s }", name, value, name, dark);
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->items[i], rule) == 0)
            return;
    rules->items = with_room(rules->items, sizeof *rules->items, rules->count, 1);
    memcpy(rules->items[rules->count++], rule, sizeof rule);
}

static void print_style(FILE *file, const char *svg)
{
    static const char *const names[] = {"fill", "stroke", "color"};
    struct rules rules = {NULL, 0};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (const char *at = svg; (at = strstr(at, names[n])); at++)
            if (at > svg && strchr(" \t\n", at[-1]) && strchr(" =", at[strlen(names[n])]))
                add_rule(&rules, at, names[n]);
    fputs("<style>\n@media (prefers-color-scheme: dark) {\n", file);
    for (size_t i = 0; i < rules.count; i++)
        fprintf(file, "%s\n", rules.items[i]);
    fputs("}\n</style>\n", file);
    free(rules.items);
}

void drawing_adapt(const char *path, const char *title)
{
    static const char of_gnuplot[] = "<title>Gnuplot</title>", font[] = "font-family=\"Helvetica\"";
    char *svg = file_text(path);
    char *start = svg ? strstr(svg, of_gnuplot) : NULL;
    if (!start) {
        free(svg);
        return;
    }
    struct new_file file = file_begin(path);
    fprintf(file.file, "%.*s<title>", (int)(start - svg), svg);
    print_html(file.file, title);
    fputs("</title>\n", file.file);
    print_style(file.file, svg);
    const char *from = start + strlen(of_gnuplot);
    for (const char *at; (at = strstr(from, font)); from = at + strlen(font))
        fprintf(file.file, "%.*sfont-family=\"Helvetica, Arial, sans-serif\"", (int)(at - from), from);
    fputs(from, file.file);
    file_finish(&file);
    free(svg);
}
