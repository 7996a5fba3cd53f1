# The style of every figure. The caller sets `stem` (STEM.set has the figure's settings, STEM.dat its data),
# `format` (svg or png) and `output`.
load stem . '.set'
data = stem . '.dat'
color(i) = word(colors, i)
point(i) = int(word(points, i))
dash(i) = int(word(dashes, i))
label(i) = exists("labels") ? word(labels, i) : word(names, i)
# The legend lies below the drawing, in as many columns as have room, and the drawing grows with the rows of
# the legend and with the number of curves. Some variables have defaults that a script can replace before it
# loads this file: `entries`, the number of entries of the legend; `longest`, the length of the longest entry;
# `room`, the width of the legend in pixels; `below`, the height in pixels of the names below the drawing.
width = 900
if (!exists("entries")) entries = words(names)
if (!exists("longest")) {
    longest = 1
    do for [i=1:words(names)] { longest = strlen(label(i)) > longest ? strlen(label(i)) : longest }
}
if (!exists("room")) room = width
# A paper's numbers: stars are printed in the paper, diamonds are a ratio of the paper, applied to a curve.
star_text = "printed in the paper"
diamond_text = "by a ratio of the paper"
marks = ""
if (stars) {
    entries = entries + 1
    longest = longest < strlen(star_text) ? strlen(star_text) : longest
    marks = marks . ", $stars using 1:($4 == half ? $2 : NaN):3 with points pt 3 ps 1.7 lw 2 lc rgb variable notitle" \
        . ", keyentry with points pt 3 ps 1.5 lw 2 lc rgb '#000000' title star_text"
}
if (diamonds) {
    entries = entries + 1
    longest = longest < strlen(diamond_text) ? strlen(diamond_text) : longest
    marks = marks . ", $diamonds using 1:($4 == half ? $2 : NaN):3 with points pt 12 ps 1.8 lw 2 lc rgb variable notitle" \
        . ", keyentry with points pt 12 ps 1.6 lw 2 lc rgb '#000000' title diamond_text"
}
half = 0 # the panel of a figure of two
fitting = int((room - 40) / (8.6 * longest + 56))
columns = fitting < 1 ? 1 : fitting > entries ? entries : fitting
rows = entries > 0 ? int((entries + columns - 1) / columns) : 0
if (!exists("below")) below = 0
height = 510 + 19 * rows + (entries > 6 ? 9 * (entries - 6) : 0) + below
if (format eq "svg") set terminal svg size width,height font "Helvetica,14" background "white" dynamic; \
else set terminal pngcairo size 1.5*width,1.5*height fontscale 1.2 linewidth 1.5 pointscale 1.5 \
    font "Helvetica,14" background "white"
set output output
set key outside bottom center horizontal Left reverse samplen 2.5 spacing 1.1 height 1 noenhanced
set border 3 lw 1.2
set errorbars 0 # intervals have no caps, so that a narrow interval is not wider than its point
set tics nomirror out
set grid ytics lw 0.6 lc rgb "#dddddd"
set lmargin 11
set rmargin 3
set title heading . "\n" . what noenhanced font ",13"
set xlabel xname . (logx && !binary ? " (log scale)" : "") noenhanced offset 0,0.5
set ylabel yname . (logy ? " (log scale)" : "") noenhanced
if (logx) { set logscale x; set autoscale xfix }
if (!logx) { set autoscale xfix; set offsets graph 0.02, graph 0.02, 0, 0 } # a mark at an end is whole
if (logx && binary) { set logscale x 2; set format x "2^{%L}" }
if (logy) set logscale y
if (zero && !logy) set yrange [0:*]
