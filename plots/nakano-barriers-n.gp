# Nakano 2013: barriers against n, UMM of width 32 and latency 100.
load "plots/style.gp"
set key outside right top
set logscale x 2
set autoscale xfix
shades = "#d62728 #1f77b4 #2ca02c #000000"
names = "simple tree simple-tree hybrid"
set title "Barriers against n (Nakano 2013, Table 1): UMM, w = 32, l = 100"
set xlabel "n"
set ylabel "barriers"
set format x "2^{%L}"
set yrange [0:*]
plot for [i=1:4] data index "sum-" . word(names, i) using 1:3 with linespoints lc rgb word(shades, i) pt 5 lw 1.8 title "sum, " . word(names, i), \
    for [i=1:4] data index "prefix-" . word(names, i) using 1:3 with linespoints lc rgb word(shades, i) pt 6 lw 1.8 dt 2 title "prefix sums, " . word(names, i)
