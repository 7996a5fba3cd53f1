/* Fits a drawing of gnuplot to its readers: colours for a dark page, a title, and a font that is found. */
#ifndef REPORT_DRAWING_H
#define REPORT_DRAWING_H

/* Writes into `dark` the colour that stands for `color`, as "#rrggbb" or gnuplot's "rgb(r, g, b)", "black",
 * "gray" or "white", on a dark page: of the same hue, as bright as the other was dark. Returns `dark`, which
 * is "" if `color` is none of these. */
const char *dark_color(char dark[8], const char *color);

/* Rewrites the SVG file that gnuplot has made. It then has `title` in place of "Gnuplot", and a style sheet
 * with the dark colour of each of its colours, for readers who prefer dark pages; it keeps a background of
 * its own, so that it can be read on any page. A file that is no SVG stays as it is. Exits with
 * EXIT_BAD_INPUT if the file cannot be written. */
void drawing_adapt(const char *path, const char *title);

#endif
