# Draws two lying bars for each row. Columns: name, average, maximum.
entries = 2
longest = strlen("maximum")
lying = 1
stats stem . '.dat' using 2 nooutput name "bar"
tall = 150 + 44 * bar_records
load "plots/style.gp"
stats data using 3 nooutput name "bar"
if (stars) {
    stats $stars using 2 nooutput name "mark"
    bar_max = mark_max > bar_max ? mark_max : bar_max
}
set xrange [0:bar_max * 1.05]
set xtics step(bar_max * 1.05)
set yrange [bar_records - 0.4:-0.6]
plot data using (0):($0 - 0.17):(0):2:($0 - 0.32):($0 - 0.02) with boxxyerror lc rgb "#1f77b4" fs solid 0.85 title "average", \
    data using (0):($0 + 0.17):(0):3:($0 + 0.02):($0 + 0.32) with boxxyerror lc rgb "#9ecae1" fs solid 0.85 title "maximum", \
    data using (0):0:ytic(1) with dots lc rgb "#ffffffff" notitle @marks
