# Draws a point for each pair of measured and predicted time, with a data set for each name: how many times the
# measured time the predicted one is. Lines show where both are equal, and where they differ by a factor of 1.5. The last name, which has most points, is drawn first, below the others.
load "plots/style.gp"
set xtics 10
set format x "10^{%L}"
stats data using ($2/$1) nooutput
set yrange [(STATS_min < 0.5 ? STATS_min : 0.5)/1.1:(STATS_max > 2 ? STATS_max : 2)*1.1]
call "plots/tics.gp" "y" "1 1.5 2 3 5 7"
plot 1 with lines lc rgb "#000000" lw 1 notitle, \
    1.5 with lines lc rgb "#000000" dt 3 notitle, 1/1.5 with lines lc rgb "#000000" dt 3 notitle, \
    for [i=words(names):1:-1] data index i-1 using 1:($2/$1) with points lc rgb color(i) pt point(i) ps 0.45 title label(i)
