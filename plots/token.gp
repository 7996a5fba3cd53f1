# Draws shares that add up to 100 percent. Columns: name, loads, waiting in one kernel (third), launches
# (eighth).
load "plots/names_below.gp"
entries = 3
longest = strlen("waiting in one kernel")
load "plots/style.gp"
set bmargin slant + 1.5 * rows + 0.5
set xlabel ""
set yrange [0:100]
set xtics rotate by -40 noenhanced
set rmargin 9
set boxwidth 0.7
set style data histograms
set style histogram rowstacked
set style fill solid 0.85 border lt -1
plot data using 2:xtic(1) lc rgb "#9ecae1" title "loads", \
    data using 3 lc rgb "#d62728" title "waiting in one kernel", \
    data using 8 lc rgb "#a05fd0" title "launches"
