# Nakano 2013: time units against the latency, UMM of width 32, n = 16,384.
load "plots/style.gp"
set key outside right top
set logscale x 2
set autoscale xfix
shades = "#d62728 #1f77b4 #2ca02c #000000"
names = "simple tree simple-tree hybrid"
set title "Time units against the latency (Nakano 2013, Table 1): UMM, w = 32, n = 16384"
set xlabel "latency (log scale)"
set ylabel "time units (log scale)"
set logscale x 10
set logscale y
plot for [i=1:4] data index "sum-" . word(names, i) using 1:2 with linespoints lc rgb word(shades, i) pt 5 lw 1.8 title "sum, " . word(names, i), \
    for [i=1:4] data index "prefix-" . word(names, i) using 1:2 with linespoints lc rgb word(shades, i) pt 6 lw 1.8 dt 2 title "prefix sums, " . word(names, i)
