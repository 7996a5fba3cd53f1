# Curves: a data set for each name.
load "plots/style.gp"
plot for [i=1:words(names)] data index i-1 using 1:2 with linespoints \
    lc rgb color(i) pt point(i) ps 0.6 lw 1.6 dt dash(i) title label(i)
