# Curves: a data set for each name, of X, Y and the ends of Y's interval. With tags, the points of the first have theirs
# in a fifth column, and 1 is a level to compare with.
load "plots/style.gp"
if (!logx) { stats data using 1 nooutput; if (STATS_max <= 8) { set xtics 1 } } # GPUs, and the like, are whole
if (tags) {
    set rmargin 12
    plot for [i=1:words(names)] data index i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 title label(i), \
        data index 0 using 1:2:5 with labels left offset 0.3,0.7 font ",10" noenhanced notitle, \
        1 with lines lc rgb "#000000" dt 3 notitle
} else {
    plot for [i=1:words(names)] data index i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 dt dash(i) title label(i)
}
