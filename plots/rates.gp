# Draws two bars for each row. Columns: name, average, maximum.
load "plots/names_below.gp"
entries = 2
longest = strlen("maximum")
load "plots/style.gp"
set xlabel ""
set bmargin slant + 1.5 * rows + 0.5
set xtics rotate by -40 noenhanced
set rmargin 9
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85
set boxwidth 0.9
plot data using 2:xtic(1) lc rgb "#1f77b4" title "average", data using 3 lc rgb "#9ecae1" title "maximum" @marks
