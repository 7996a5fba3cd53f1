/* Post-processes a drawing of gnuplot: adds colours for a dark page, a title, and a font that browsers
 * find. */
#ifndef REPORT_DRAWING_H
#define REPORT_DRAWING_H

/* Writes the colour for a dark page that replaces `color` into `dark`. `color` is "#rrggbb" or gnuplot's
 * "rgb(r, g, b)", "black", "gray" or "white". The two have the same hue; the darker one is, the brighter the
 * other. Returns `dark`, which is "" if `color` has none of these forms. */
const char *dark_color(char dark[8], const char *color);

/* Rewrites an SVG file that gnuplot has made: sets its title to `title`, and adds a style sheet that replaces
 * each of its colours for readers who prefer dark pages. The drawing keeps its own background, so that it can
 * be read on any page. Does not change a file that is no SVG. Exits with EXIT_BAD_INPUT if the file cannot be
 * written. */
void drawing_adapt(const char *path, const char *title);

#endif
