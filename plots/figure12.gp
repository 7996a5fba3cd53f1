# Xiao and Feng 2010, Figure 12: percentages of computation and synchronization, each variant at its best number of blocks.
# The caller's data for this figure: scripts/percentages.
load "plots/style.gp"
set title sprintf("Where the time of %s goes, each variant at its best (blocks) (Xiao and Feng 2010, Figure 12)\n", program) . what noenhanced
set ylabel "percent"
set xlabel ""
set yrange [0:100]
set xtics rotate by -40 noenhanced
set rmargin 30
set boxwidth 0.7
set style data histograms
set style histogram rowstacked
set style fill solid 0.85 border lt -1
plot data using 2:xtic(1) lc rgb "#9ecae1" title "computation", data using 3 lc rgb "#d62728" title "synchronization"
