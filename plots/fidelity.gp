# Draws a point for each pair of measured and predicted time, with a data set for each name. Lines show
# where both times are equal, and where they differ by a factor of 1.5.
load "plots/style.gp"
set key samplen 1
set xtics 100
set ytics 100
stats data using 1:2 nooutput
low = STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y
high = STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y
set xrange [low/1.5:high*1.5]
set yrange [low/1.5:high*1.5]
set grid xtics lw 0.6 lc rgb "#dddddd"
plot x with lines lc rgb "#000000" lw 1 notitle, \
    1.5*x with lines lc rgb "#000000" dt 3 notitle, x/1.5 with lines lc rgb "#000000" dt 3 notitle, \
    for [i=1:words(names)] data index i-1 using 1:2 with points \
        lc rgb color(i) pt point(i) ps 0.6 title label(i)
