# Wang 2017, Figure 9: average and maximum over batches as small as HaplotypeCaller's regions make them.
load "plots/style.gp"
set title sprintf("%s, batches of a region each (Wang 2017, Figure 9)\n", program) . what noenhanced
set ylabel "billions of cells a second"
set xlabel ""
set yrange [0:*]
set xtics noenhanced
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.85
set boxwidth 0.9
plot data using 2:xtic(1) lc rgb "#1f77b4" title "average", data using 3 lc rgb "#9ecae1" title "maximum"
