# The look of every figure. The caller gives stem (STEM.set has the figure's settings, STEM.dat its data), format
# (svg or png) and output.
load stem . '.set'
data = stem . '.dat'
if (format eq "svg") set terminal svg size 900,560 font "Helvetica,14" background "white" dynamic; \
else set terminal pngcairo size 1200,747 font "Helvetica,14" background "white"
set output output
set key outside right top vertical Left reverse samplen 3 spacing 1.1 noenhanced
set border 3 lw 1.2
set errorbars 0 # no caps: an interval of no width is no more than its point
set tics nomirror out
set grid ytics lw 0.6 lc rgb "#dddddd"
set lmargin 11
set title heading . "\n" . what noenhanced
set xlabel xname . (logx && !binary ? " (log scale)" : "") noenhanced
set ylabel yname . (logy ? " (log scale)" : "") noenhanced
if (logx) { set logscale x; set autoscale xfix }
if (logx && binary) { set logscale x 2; set format x "2^{%L}" }
if (logy) set logscale y
if (zero) set yrange [0:least_top < *] # as high as the paper's points at least
color(i) = word(colors, i)
point(i) = int(word(points, i))
dash(i) = int(word(dashes, i))
label(i) = exists("labels") ? word(labels, i) : word(names, i)
