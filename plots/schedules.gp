# Draws curves of the abstract machines. Each name has three data sets of X and Y: warps in turn (a line),
# in random order and by an adversary (circles and triangles). In a figure of time units a data set for each name follows
# them: the bound that is counted in the paper's listing (dotted).
load stem . '.set'
bounds = yname eq "time units"
entries = words(names) + 2 + bounds
longest = strlen("bound, counted in the listing")
load "plots/style.gp"
algorithms = words(names)
bound_curves = ""
if (bounds) {
    bound_curves = ', for [i=1:algorithms] data index 3*algorithms+i-1 using 1:2 with lines lc rgb color(i) dt 3 lw 1.6' \
        . ', NaN with lines lc rgb "#000000" dt 3 lw 1.6 title "bound, counted in the listing"'
}
set key noautotitle
plot for [i=1:words(names)] data index 3*(i-1) using 1:2 with linespoints \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 title label(i), \
    for [i=1:algorithms] data index 3*(i-1)+1 using 1:2 with points lc rgb color(i) pt 6 ps 0.9 lw 1.2, \
    for [i=1:algorithms] data index 3*(i-1)+2 using 1:2 with points lc rgb color(i) pt 8 ps 0.9 lw 1.2, \
    NaN with points lc rgb "#000000" pt 6 ps 0.9 title "random order", \
    NaN with points lc rgb "#000000" pt 8 ps 0.9 title "adversary" @bound_curves
