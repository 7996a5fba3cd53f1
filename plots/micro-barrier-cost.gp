# What one barrier costs with one block on every multiprocessor: the time of a round less that without a barrier.
# The caller's data for this figure: scripts/barrier-cost.
load "plots/style.gp"
set title sprintf("Cost of one barrier across %d blocks, one a multiprocessor\n", sms) . what noenhanced
set ylabel "microseconds"
set xlabel ""
set yrange [0:*]
set xtics rotate by -40 noenhanced
set boxwidth 0.7
set style fill solid 0.85 border lt -1
unset key
color_of(name) = int("0x" . substr(color(name), 2, 7))
plot data using 0:2:(0.7):(color_of(strcol(1))):xtic(1) with boxes lc rgb variable, \
    data using 0:2:(sprintf($2 < 10 ? "%.2f" : "%.1f", $2)) with labels offset 0,0.7 notitle
