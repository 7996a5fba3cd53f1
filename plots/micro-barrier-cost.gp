# What one barrier costs with one block on every multiprocessor: the time of a round less that without a barrier.
# The caller's data for this figure: scripts/barrier-cost.
load "plots/style.gp"
set title sprintf("Cost of one barrier across %d blocks, one a multiprocessor\n", sms) . what noenhanced
set ylabel "microseconds"
set xlabel ""
set yrange [0:*]
set xtics rotate by -40 noenhanced
set rmargin 8
set boxwidth 0.7
unset key
set label 1 "full colour: ordered; pale: unordered" at graph 0.98,0.95 right
name_color(name) = int("0x" . substr(color(name), 2, 7))
plot data using 0:($3 > 0 ? $2 : NaN):(0.7):(name_color(strcol(1))):xtic(1) with boxes lc rgb variable fs solid 0.85, \
    data using 0:($3 > 0 ? NaN : $2):(0.7):(name_color(strcol(1))) with boxes lc rgb variable fs transparent solid 0.25, \
    data using 0:2:(sprintf($2 < 10 ? "%.2f" : "%.1f", $2)) with labels offset 0,0.7
