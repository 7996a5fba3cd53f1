#include "report/gnuplot.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "harness/methods.h"
#include "report/devices.h"
#include "report/table.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    char **items;
    size_t count;
};

/* Adds a rule for the attribute `name` (fill, stroke or color) at `at`, if the attribute's value is a colour
 * and the same rule was not added before. */
static void add_rule(struct rules *rules, const char *at, const char *name)
{
    char dark[8];
    const char *open = at + strlen(name);
    open += strspn(open, " =");
    size_t length = *open ? strcspn(open + 1, "'\"") : 0;
    const char *value = made("%.*s", (int)length, open + 1);
    if ((*open != '"' && *open != '\'') || !*dark_color(dark, value))
        return;
    const char *rule = made("[%s=\"%s\"] { %s: %s }", name, value, name, dark);
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->items[i], rule) == 0)
            return;
    rules->items = with_room(rules->items, sizeof *rules->items, rules->count, 1);
    rules->items[rules->count++] = copy_text(rule);
}

static void print_style(FILE *file, const char *svg)
{
    static const char *const names[] = {"fill", "stroke", "color"};
    struct rules rules = {NULL, 0};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (const char *at = svg; (at = strstr(at, names[n])); at++)
            if (at > svg && strchr(" \t\n", at[-1]) && strchr(" =", at[strlen(names[n])]))
                add_rule(&rules, at, names[n]);
    fputs("<style>\ntext { font-family: Helvetica, Arial, sans-serif }\n@media (prefers-color-scheme: dark) "
          "{\n",
          file);
    for (size_t i = 0; i < rules.count; i++) {
        fprintf(file, "%s\n", rules.items[i]);
        free(rules.items[i]);
    }
    fputs("}\n</style>\n", file);
    free(rules.items);
}

/* What gnuplot repeats at each element and is not needed: a font, which the style sheet of an adapted drawing
 * names once, and values that are SVG's own. */
static const char *const repeated[] = {" font-family=\"Helvetica\"",
                                       " stroke-linecap=\"butt\" stroke-linejoin=\"miter\""};

/* Returns the number of bytes from `at` to the end of the text `last`; 0 if `at` does not begin with
 * `first`. */
static size_t span(const char *at, const char *first, const char *last)
{
    const char *end = strncmp(at, first, strlen(first)) == 0 ? strstr(at, last) : NULL;
    return end ? (size_t)(end - at) + strlen(last) : 0;
}

/* Returns how many bytes at `at` draw nothing: a repeated attribute, a group without elements, a filter,
 * which no figure uses, or an indent. */
static size_t superfluous_at(const char *at)
{
    static const char empty[] = ">\n</g>\n";
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (strncmp(at, repeated[i], strlen(repeated[i])) == 0)
            return strlen(repeated[i]);
    size_t open = span(at, "<g ", ">");
    if (open && strncmp(at + open - 1, empty, strlen(empty)) == 0)
        return open - 1 + strlen(empty);
    return *at == '\t' ? 1 : span(at, "<filter ", "</filter>\n");
}

/* Returns whether the digit at `at` is the second decimal of a coordinate, that is, a hundredth of a pixel.
 * */
static bool is_hundredth(const char *svg, const char *at)
{
    return at - svg > 2 && isdigit((unsigned char)at[0]) && isdigit((unsigned char)at[-1]) && at[-2] == '.' &&
           strchr(", )", at[1]);
}

/* Makes the text of a drawing shorter: removes what draws nothing and hundredths of pixels, and writes
 * colours as "#rrggbb". A drawing is half of a page's bytes or more, and a page has two of each figure. */
static void make_small(char *svg)
{
    char *to = svg;
    bool in_tag = false;
    for (const char *at = svg; *at;) {
        struct rgb c;
        size_t bytes = superfluous_at(at), color = in_tag ? span(at, "rgb(", ")") : 0;
        in_tag = *at == '<' || (in_tag && *at != '>');
        if (bytes || (in_tag && is_hundredth(svg, at))) {
            at += bytes ? bytes : 1;
        } else if (color && sscanf(at, "rgb(%d, %d, %d)", &c.red, &c.green, &c.blue) == 3) {
            char hex[8];
            snprintf(hex, sizeof hex, "#%02x%02x%02x", (unsigned)c.red & 255, (unsigned)c.green & 255,
                     (unsigned)c.blue & 255);
            memcpy(to, hex, 7);
            to += 7;
            at += color;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

/* Rewrites an SVG file that gnuplot has made: sets its title to `title`, removes what draws nothing, and
 * adds a style sheet with the font and with a colour in place of each of its colours for readers who prefer
 * dark pages. The drawing keeps its own background, so that it can be read on any page. Does not change a
 * file that is not an SVG file. Exits with EXIT_BAD_INPUT if the file cannot be written. */
static void drawing_adapt(const char *path, const char *title)
{
    static const char of_gnuplot[] = "<title>Gnuplot</title>";
    char *svg = file_text(path);
    if (svg)
        make_small(svg);
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
    fputs(start + strlen(of_gnuplot), file.file);
    file_finish(&file);
    free(svg);
}

/* ---- gnuplot ---- */

extern char **environ;

bool can_draw(void)
{
    static enum { UNKNOWN, THERE, MISSING } found;
    char *const arguments[] = {(char *)"gnuplot", (char *)"--version", NULL};
    posix_spawn_file_actions_t actions;
    if (found != UNKNOWN)
        return found == THERE;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status = -1;
    bool is_there = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0 &&
                    waitpid(child, &status, 0) == child && status == 0;
    posix_spawn_file_actions_destroy(&actions);
    found = is_there ? THERE : MISSING;
    return is_there;
}

/* Runs gnuplot and returns whether it succeeded. gnuplot exits with status 0 even if a data set is missing,
 * and only prints a message to stderr, so any output on stderr counts as a failure. */
static bool run_gnuplot(const char *script, const char *stem, const char *format, bool narrow,
                        const char *title)
{
    const char *name = made("plots/%s.gp", script), *program = suite_path(name);
    /* sets GNUPLOT_LIB to the suite's folder, because the script loads other scripts by paths in this
     * folder */
    if (strcmp(program, name) != 0)
        setenv("GNUPLOT_LIB", made("%.*s", (int)(strlen(program) - strlen(name)), program), 1);
    const char *final = made("%s%s.%s", stem, narrow ? NARROW : "", format),
               *output = made("%s.temporary", final), *errors = made("%s.errors", stem);
    const char *const arguments[] = {
        "gnuplot", "-e",
        made("stem='%s'; format='%s'; output='%s'%s", stem, format, output, narrow ? "; narrow=1" : ""),
        program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t child;
    int status = -1;
    struct stat said, drawn;
    bool good = posix_spawnp(&child, "gnuplot", &actions, NULL, (char *const *)arguments, environ) == 0 &&
                waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                stat(errors, &said) == 0 && said.st_size == 0 && stat(output, &drawn) == 0 &&
                drawn.st_size > 0;
    posix_spawn_file_actions_destroy(&actions);
    if (good && strcmp(format, "svg") == 0)
        drawing_adapt(output, title);
    good = good && rename(output, final) == 0;
    unlink(good ? errors : output);
    return good;
}

static void print_complaints(const char *stem)
{
    char line[512];
    const char *path = made("%s.errors", stem);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
    if (file)
        fclose(file);
    unlink(path);
}

bool gnuplot_draw(const char *script, const char *stem, const char *title)
{
    bool drawn = run_gnuplot(script, stem, "svg", false, title) &&
                 run_gnuplot(script, stem, "svg", true, title) &&
                 run_gnuplot(script, stem, "png", false, title);
    if (!drawn) {
        print_complaints(stem);
        fprintf(stderr, "%s: left out: %s cannot be drawn by plots/%s.gp\n", program_name(), stem, script);
    }
    return drawn;
}

/* The styles of the variants that are not methods of harness/methods.def, from the rows "style" of the rooms'
 * tables.txt. */
static const struct {
    const char *variant;
    struct style style;
} others[] = {
#include "style_rows.h"
};

static const struct style *find(const char *name, size_t length)
{
    static struct style found;
    for (size_t i = 0; i < SYNC_METHODS; i++)
        if (strlen(sync_variants[i].name) == length && strncmp(sync_variants[i].name, name, length) == 0) {
            found = (struct style){sync_methods[i].color, sync_methods[i].point};
            return &found;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].variant) == length && strncmp(others[i].variant, name, length) == 0)
            return &others[i].style;
    return NULL;
}

static const struct style *style_found(const char *variant)
{
    const struct style *style = find(variant, strlen(variant));
    const char *plus = strrchr(variant, '+');
    /* A variant NAME+METHOD whose NAME contains "-" (sum-tree+counter) gets the style of NAME, because its
     * figure compares algorithms. Any other one (shuffle+counter) gets the style of METHOD. */
    if (!style && plus && strchr(variant, '-') && strchr(variant, '-') < plus)
        style = find(variant, (size_t)(plus - variant));
    if (!style && plus)
        style = find(plus + 1, strlen(plus + 1));
    return style;
}

bool has_style(const char *variant)
{
    return style_found(variant);
}

struct style style_of(const char *variant)
{
    const struct style *style = style_found(variant);
    return style ? *style : (struct style){"#1f77b4", 1};
}
