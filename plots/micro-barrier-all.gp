# Every way to synchronise that the device has, up to all blocks that are resident.
load "plots/style.gp"
set title "Time of a round, computation included; dashed: unordered\n" . what noenhanced
set ylabel "microseconds (log scale)"
set logscale xy
set autoscale xfix
names = ""
do for [i=1:14] { if (measured(word(all, i))) { names = names . " " . word(all, i) } }
plot for [i=1:words(names)] data index word(names, i) using 1:2 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.5 lw 1.4 dt dash(word(names, i)) title word(names, i)
