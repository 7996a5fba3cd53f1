# Draws shares that add up to 100 percent, a lying bar for each row. Columns: name, computation, waiting
# (third), refill of the caches (eighth).
stats stem . '.dat' using 8 nooutput name "refill"
refills = refill_max > 0 # false for devices without an L1 cache
entries = 2 + refills
longest = strlen("waiting or launch")
lying = 1
tall = 140 + 27 * refill_records
load "plots/style.gp"
set xrange [0:100]
set xtics narrow ? 25 : 10
set yrange [refill_records - 0.4:-0.6]
set style fill solid 0.85 border lt -1
plot data using (0):0:(0):2:($0 - 0.36):($0 + 0.36):ytic(1) with boxxyerror lc rgb "#9ecae1" title "computation", \
    for [i=1:refills] data using 2:0:2:($2 + $8):($0 - 0.36):($0 + 0.36) with boxxyerror \
        lc rgb "#fdae6b" title "refill of L1", \
    data using ($2 + $8):0:($2 + $8):(100):($0 - 0.36):($0 + 0.36) with boxxyerror \
        lc rgb "#d62728" title "waiting or launch" @marks
