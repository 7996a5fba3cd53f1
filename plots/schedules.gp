# Draws curves of the abstract machines. Each name has three data sets of X and Y: warps in turn (a line),
# in random order and by an adversary (crosses). The name `bound`, which is the last, has one data set.
load stem . '.set'
entries = words(names) + 2
load "plots/style.gp"
algorithms = words(names) - (word(names, words(names)) eq "bound")
set key noautotitle
plot for [i=1:words(names)] data index 3*(i-1) using 1:2 with linespoints \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 title label(i), \
    for [i=1:algorithms] data index 3*(i-1)+1 using 1:2 with points lc rgb color(i) pt 1 ps 1.4 lw 1.4, \
    for [i=1:algorithms] data index 3*(i-1)+2 using 1:2 with points lc rgb color(i) pt 2 ps 1.4 lw 1.4, \
    NaN with points lc rgb "#000000" pt 1 ps 1.4 title "random order", \
    NaN with points lc rgb "#000000" pt 2 ps 1.4 title "adversary"
