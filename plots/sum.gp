# Sums and prefix sums over the whole grid, by the algorithms of Nakano 2013 and by CUB, against how many numbers there are.
load "plots/style.gp"
set title "Sums (solid) and prefix sums (dashed) over the whole grid, barrier: counter\n" . what noenhanced
set ylabel "microseconds (log scale)"
set xlabel "numbers"
set logscale y
set logscale x 2
set format x "2^{%L}"
set autoscale xfix
algorithms = "simple+counter tree+counter simple-tree+counter hybrid+counter cub"
shades = "#d62728 #1f77b4 #2ca02c #000000 #ff7f0e"
plot for [i=1:5] data index "sum-" . word(algorithms, i) using 1:($3 * 1e3) with linespoints lc rgb word(shades, i) pt 5 lw 1.8 \
    title "sum-" . word(algorithms, i) noenhanced, \
    for [i=1:5] data index "prefix-" . word(algorithms, i) using 1:($3 * 1e3) with linespoints lc rgb word(shades, i) pt 6 lw 1.8 dt 2 \
    title "prefix-" . word(algorithms, i) noenhanced
