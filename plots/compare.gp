# Draws the curves of two devices. The data sets of the first device come first (solid), then those of the
# second (dashed).
load "plots/style.gp"
set label 1002 what . ", and " . second
set autoscale xfix
plot for [i=1:words(names)] data index i-1 using 1:2:3:4 with yerrorlines \
    lc rgb color(i) pt point(i) ps 0.4 lw 1.4 dt 1 title label(i), \
    for [i=1:words(names)] data index words(names)+i-1 using 1:2:3:4 with yerrorlines \
    lc rgb color(i) pt point(i) ps 0.4 lw 1.4 dt 2 notitle
