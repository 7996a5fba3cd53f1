# Draws shares that add up to 100 percent. Columns: name, computation, waiting (third), refill of the caches
# (eighth).
load "plots/names_below.gp"
stats stem . '.dat' using 8 nooutput name "refill"
refills = refill_max > 0 # false for devices without an L1 cache
entries = 2 + refills
longest = strlen("waiting or launch")
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
plot data using 2:xtic(1) lc rgb "#9ecae1" title "computation", \
    for [i=1:refills] data using 8 lc rgb "#fdae6b" title "refill of L1", \
    data using 3 lc rgb "#d62728" title "waiting or launch" @marks
