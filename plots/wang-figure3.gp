# Wang 2017, Figure 3: latency of shuffles, shared memory and __syncthreads, in cycles; a register takes one.
load "plots/style.gp"
set title "Latency in cycles, where a register takes one (Wang 2017, Figure 3)\n" . what noenhanced
set ylabel "cycles"
set xlabel ""
set yrange [0:*]
set boxwidth 0.7
set rmargin 9
unset key
set xtics rotate by -40 noenhanced
plot data using 0:2:xtic(1) with boxes lc rgb "#1f77b4" fs solid 0.85, \
    data using 0:2:(sprintf("%.1f", $2)) with labels offset 0,0.7 font ",10"
