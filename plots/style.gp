# The style of every figure. The caller sets `stem` (STEM.set has the figure's settings, STEM.dat its data),
# `format` (svg or png) and `output`.
load stem . '.set'
data = stem . '.dat'
color(i) = word(colors, i)
# The marks of the papers' numbers, star and diamond, mark no curve.
point(i) = word(points, i) eq "3" ? 10 : word(points, i) eq "12" ? 8 : int(word(points, i))
dash(i) = int(word(dashes, i))
label(i) = exists("labels") ? word(labels, i) : word(names, i)
# The legend lies below the drawing, in as many columns as have room, and the drawing grows with the rows of
# the legend and with the number of curves. Some variables have defaults that a script can replace before it
# loads this file: `entries`, the number of entries of the legend; `longest`, the length of the longest entry;
# `room`, the width of the legend in pixels; `tall`, the height of the drawing without its
# legend; `lying`, 1 if the bars lie, so that values are on the x axis and names on the y axis.
width = 760
if (!exists("entries")) entries = words(names)
if (!exists("longest")) {
    longest = 1
    do for [i=1:words(names)] { longest = strlen(label(i)) > longest ? strlen(label(i)) : longest }
}
if (!exists("lying")) lying = 0
if (!exists("room")) room = lying ? width - 200 : width
if (!exists("tall")) tall = 440
# A paper's numbers: stars are printed in the paper, diamonds are a ratio of the paper, applied to a curve.
star_text = "printed in the paper"
diamond_text = "by a ratio of the paper"
place = lying ? "($4 == half ? $2 : NaN):1" : "1:($4 == half ? $2 : NaN)"
marks = ""
if (stars) {
    entries = entries + 1
    longest = longest < strlen(star_text) ? strlen(star_text) : longest
    marks = marks . ", $stars using " . place . ":3 with points pt 3 ps 1.1 lw 2 lc rgb variable notitle" \
        . ", keyentry with points pt 3 ps 1.1 lw 2 lc rgb '#000000' title star_text"
}
if (diamonds) {
    entries = entries + 1
    longest = longest < strlen(diamond_text) ? strlen(diamond_text) : longest
    marks = marks . ", $diamonds using " . place . ":3 with points pt 12 ps 1.2 lw 2 lc rgb variable notitle" \
        . ", keyentry with points pt 12 ps 1.2 lw 2 lc rgb '#000000' title diamond_text"
}
half = 0 # the panel of a figure of two
fitting = int((room - 40) / (8.6 * longest + 56))
columns = fitting < 1 ? 1 : fitting > entries ? entries : fitting
rows = entries > 0 ? int((entries + columns - 1) / columns) : 0
height = tall + 19 * rows + (entries > 6 ? 9 * (entries - 6) : 0)
if (format eq "svg") set terminal svg size width,height font "Helvetica,14" background "white" dynamic; \
else set terminal pngcairo size 1.5*width,1.5*height fontscale 1.2 linewidth 1.5 pointscale 1.5 \
    font "Helvetica,14" background "white"
set output output
set key outside bottom center horizontal Left reverse samplen 2.5 spacing 1.1 height 1 noenhanced maxcols columns
set border 3 lw 1.2
set errorbars 0 # intervals have no caps, so that a narrow interval is not wider than its point
set tics nomirror out
if (!lying) { set grid ytics lw 0.6 lc rgb "#dddddd" }
if (lying) { set grid xtics lw 0.6 lc rgb "#dddddd" }
set rmargin 3
# The heading stands at the left, where it is seen on a narrow screen, too.
set title " \n "
set label 1001 heading at screen 0, screen 1 offset 1.5,-0.95 left noenhanced font ",13"
set label 1002 what at screen 0, screen 1 offset 1.5,-1.9 left noenhanced font ",11" tc rgb "#5f5f66"
if (!lying) {
    set xlabel xname . (logx && !binary ? " (log scale)" : "") noenhanced offset 0,0.2
    set ylabel yname . (logy ? " (log scale)" : "") noenhanced
    if (logx) { set logscale x; set autoscale xfix }
    if (!logx) { set autoscale xfix; set offsets graph 0.02, graph 0.02, 0, 0 } # a mark at an end is whole
    if (logx && binary) { set logscale x 2; set format x "2^{%L}" }
    if (logy) { set logscale y }
    if (zero && !logy) { set yrange [0:*] }
} else {
    set xlabel yname . (logy ? " (log scale)" : "") noenhanced offset 0,0.3
    set ytics noenhanced scale 0
    set border 3
    if (logy) { set logscale x }
    if (zero && !logy) { set xrange [0:*] }
}
