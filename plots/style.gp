# The style of every figure. The caller sets `stem` (STEM.set has the figure's settings, STEM.dat its data),
# `format` (svg or png) and `output`.
load stem . '.set'
data = stem . '.dat'
color(i) = word(colors, i)
# The marks of the papers' numbers, star and diamond, mark no curve.
point(i) = word(points, i) eq "3" ? 10 : word(points, i) eq "12" ? 8 : int(word(points, i))
dash(i) = int(word(dashes, i))
label(i) = exists("labels") ? word(labels, i) : word(names, i)
# With `narrow` the drawing is for a screen of a telephone's width. The legend lies below the drawing, in as
# many columns as have room, and the drawing grows with the rows of the legend and with the number of curves.
# Some variables have defaults that a script can replace before it loads this file: `entries`, the number of
# entries of the legend; `longest`, the length of the longest entry; `room`, the width of the legend in pixels;
# `tall`, the height of the drawing, or of a panel, without its legend; `lying`, 1 if the bars lie, so that
# values are on the x axis and names on the y axis; `panels`, the number of panels; `x_least` and `x_most`, the
# ends of the x axis, if they are not those of the data.
if (!exists("narrow")) narrow = 0
width = narrow ? 420 : 760
if (!exists("entries")) entries = words(names)
if (!exists("longest")) {
    longest = 1
    do for [i=1:words(names)] { longest = strlen(label(i)) > longest ? strlen(label(i)) : longest }
}
if (!exists("lying")) lying = 0
if (!exists("panels")) panels = 1
if (!exists("room")) room = width
if (!exists("tall")) tall = panels > 1 ? 320 : narrow ? 360 : 440
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
fitting = int((room - 40) / (8.6 * longest + 56))
columns = fitting < 1 ? 1 : fitting > entries ? entries : fitting
rows = entries > 0 ? int((entries + columns - 1) / columns) : 0
# Panels lie side by side, on a narrow screen one below the other.
beside = panels > 1 && !narrow ? 2 : 1
height = panels > 1 ? 84 + tall * int((panels + beside - 1) / beside) + 24 * rows \
    : lying ? tall + 12 + 24 * rows + 24 * (rows > 0) : tall + 19 * rows + (entries > 6 ? 9 * (entries - 6) : 0)
half = 0 # the number of the panel that is drawn
if (format eq "svg") set terminal svg size width,height font "Helvetica,14" background "white" dynamic; \
else set terminal pngcairo size 1.5*width,1.5*height fontscale 1.2 linewidth 1.5 pointscale 1.5 \
    font "Helvetica,14" background "white"
set output output
set key outside bottom center horizontal Left reverse samplen 2.5 spacing 1.1 height 1 noenhanced maxcols columns
if (narrow) { set key samplen 1.5 font ",12" }
# The step between the labels of a linear axis with numbers up to this one: 1, 2 or 5 times a power of ten, so that
# there are at most four steps on a narrow screen.
rough(most) = most / (narrow ? 4.0 : 10.0)
ten(most) = 10.0**floor(log10(rough(most)))
step(most) = ten(most) * (rough(most) <= ten(most) ? 1 : rough(most) <= 2 * ten(most) ? 2 : rough(most) <= 5 * ten(most) ? 5 : 10)
# A legend as wide as the drawing, and not as the panel above it. Panels share the legend of the last one.
shared_key = "set key at screen 12.0/width, screen 6.0/height bottom left vertical maxrows rows"
if (panels > 1) { unset key } else { if (lying) {
    @shared_key
    set bmargin at screen (24.0 * rows + 24 * (rows > 0) + 72) / height
} }
set border 3 lw 1.2
set errorbars 0 # intervals have no caps, so that a narrow interval is not wider than its point
set tics nomirror out
if (!lying) { set grid ytics lw 0.6 lc rgb "#dddddd" }
if (lying) { set grid xtics lw 0.6 lc rgb "#dddddd" }
set rmargin 3
# The heading stands at the left, where it is seen on a narrow screen, too. A page repeats it as text, and cuts
# off these 52 pixels (report/page_figure.c).
if (!narrow) {
    set label 1001 heading at screen 0, screen 1 offset 1.5,-0.95 left noenhanced font ",13"
    set label 1002 what at screen 0, screen 1 offset 1.5,-1.9 left noenhanced font ",11" tc rgb "#5f5f66"
}
# The names of the lines at which a paper says that something changes stand above the panel, one in a row, at
# the right of their lines if there is room, and the rightmost line's name stands lowest.
raised = 0
flip = 1
if (!exists("lines")) { lines = 0 }
if (lines) {
    if (!exists("x_least")) {
        stats data using 1 nooutput
        x_least = STATS_min
        x_most = STATS_max
    }
    at(i) = word($lines[i], 1) + 0
    panel_of(i) = int(word($lines[i], 2))
    nearer(i, j) = panel_of(i) == panel_of(j) && (flip * (at(j) - at(i)) > 0 || (at(j) == at(i) && j < i))
    do for [i=1:lines] {
        raised = raised + (panel_of(i) == panel_of(1))
        flip = (at(i) - x_least) / (x_most - x_least) > (narrow ? 0.45 : 0.6) ? -1 : flip
    }
}
if (panels == 1) { call "plots/panel.gp" "0" (lying ? " " : yname . (logy ? " (log scale)" : "")) }
if (!lying) {
    set xlabel xname . (logx && !binary ? " (log scale)" : "") noenhanced offset 0,0.2
    if (logx) { set logscale x; set autoscale xfix }
    if (!logx) { set autoscale xfix; set offsets graph 0.02, graph 0.02, 0, 0 } # a mark at an end is whole
    if (logx && binary) { set logscale x 2; set format x "2^{%L}" }
    if (logy) { set logscale y }
    if (zero && !logy) { set yrange [0:*] }
} else {
    set xlabel yname . (logy ? " (log scale)" : "") noenhanced offset 0,0.3
    # Names are narrower than gnuplot assumes.
    longest_name = 0
    named(text) = strlen(text) > longest_name ? longest_name = strlen(text) : 0
    stats data using (named(strcol(1))) nooutput
    set lmargin at screen (14 + longest_name * (narrow ? 7.0 : 8.0)) / width
    tic_font = narrow ? ",12" : ",14"
    set ytics noenhanced scale 0 font tic_font
    set xtics font tic_font
    set border 3
    if (logy) { set logscale x }
    if (zero && !logy) { set xrange [0:*] }
}
