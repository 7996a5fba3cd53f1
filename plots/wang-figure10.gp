# Wang 2017, Figure 10: billions of cells a second against the number of tasks that are batched together.
load "plots/style.gp"
set title sprintf("%s by the size of the batch (Wang 2017, Figure 10)\n", program) . what noenhanced
set ylabel "billions of cells a second"
set xlabel "tasks in a batch (log scale)"
set logscale x
set autoscale xfix
set yrange [0:*]
names = of_these("shared shared+copies shuffle shuffle+copies")
shades = "#d62728 #ff9896 #1f77b4 #9ecae1"
shade(name) = word(shades, name eq "shared" ? 1 : name eq "shared+copies" ? 2 : name eq "shuffle" ? 3 : 4)
plot for [i=1:words(names)] data index word(names, i) using 1:(1e-3 / $2) with linespoints \
    lc rgb shade(word(names, i)) pt 5 + 2 * (i % 2) ps 0.8 lw 1.8 title word(names, i) noenhanced
