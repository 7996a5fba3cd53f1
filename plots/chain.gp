# The same chain by its length: the slope is what one link of it costs.
load "plots/style.gp"
set title "A chain of warps, each waits for the one before\n" . what noenhanced
set ylabel "cycles"
set xlabel "warps"
set yrange [0:*]
names = of_these("atom-lock warp-barrier shared-lock tiny-lock warp-vote syncthreads packed-word mbarrier")
plot for [i=1:words(names)] data index word(names, i) using 1:3 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.8 lw 1.8 title word(names, i) noenhanced
