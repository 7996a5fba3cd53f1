# Draws a curve for each name. A name's data set has the columns X, Y and the two ends of Y's interval. If
# `tags` is set, the first data set has a fifth column with a label for each point, and a dotted line marks
# the level 1.
load "plots/style.gp"
# A small number on the x axis counts something whole, such as GPUs.
if (!logx) { stats data using 1 nooutput; if (STATS_max <= 8) { set xtics 1 } }
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
