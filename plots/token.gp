# Draws shares that add up to 100 percent, a lying bar for each row. Columns: name, loads, waiting in one kernel
# (third), launches (eighth).
entries = 3
longest = strlen("waiting in one kernel")
lying = 1
stats stem . '.dat' using 2 nooutput name "bar"
tall = 140 + 34 * bar_records
load "plots/style.gp"
set xrange [0:100]
set xtics narrow ? 25 : 10
set yrange [bar_records - 0.4:-0.6]
set style fill solid 0.85 border lt -1
plot data using (0):0:(0):2:($0 - 0.36):($0 + 0.36):ytic(1) with boxxyerror lc rgb "#9ecae1" title "loads", \
    data using 2:($3 > 0 ? $0 : NaN):2:($2 + $3):($0 - 0.36):($0 + 0.36) with boxxyerror \
        lc rgb "#d62728" title "waiting in one kernel", \
    data using 2:($8 > 0 ? $0 : NaN):2:($2 + $8):($0 - 0.36):($0 + 0.36) with boxxyerror \
        lc rgb "#a05fd0" title "launches"
