# Needleman-Wunsch against size (after Li 2015, Table 3): by the way to fill a tile, and by the barrier between diagonals of tiles.
load "plots/style.gp"
set title "Needleman-Wunsch, all launches or one kernel (after Li 2015, Table 3)\n" . what noenhanced
set ylabel "milliseconds (log scale)"
set xlabel "letters in each sequence (log scale)"
set logscale xy
set autoscale xfix
names = of_these("mbarrier atom-lock tiny-lock packed-word data-parallel shuffle shuffle+cpu-graph shuffle+counter dataflow")
plot for [i=1:words(names)] data index word(names, i) using 1:3 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.8 lw 1.8 title word(names, i) noenhanced
