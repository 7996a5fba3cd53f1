# Two devices' times of one run against blocks: the first with solid lines, the second with dashes.
load "plots/style.gp"
set title sprintf("%s: solid %s, dashed %s", program, device, second) noenhanced
set ylabel "milliseconds (log scale)"
set logscale y
set autoscale xfix
plot for [i=1:words(names)] data index word(names, i) using 1:3 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.4 lw 1.4 dt 1 title word(names, i), \
    for [i=1:words(names)] other index word(names, i) using 1:3 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.4 lw 1.4 dt 2 notitle
