# Draws a panel for each algorithm of the abstract machines: its sum and its prefix sums in colour, and those of
# the other algorithms in grey. The first half of the names are sums, the second half their prefix sums. Each
# name has three data sets of X and Y: warps in turn (a line), in random order and by an adversary (circles and
# triangles). In a figure of time units a data set for each name follows them: the bound that is counted in the
# paper's listing (dotted).
load stem . '.set'
algorithms = words(names) / 2
bounds = yname eq "time units"
panels = algorithms
entries = 5 + bounds
longest = strlen("bound, counted in the listing")
load "plots/style.gp"
if (logy) { set format y "10^{%L}" }
stats data using 1 nooutput name "at"
stats data using 2 nooutput name "of"
set xrange [at_min:at_max]
set yrange [logy ? of_min / 1.5 : 0:logy ? of_max * 1.5 : of_max * 1.05]
ink(of_prefix) = of_prefix ? "#d62728" : "#1f77b4"
curve(panel, of_prefix) = panel + 1 + of_prefix * algorithms
bound_curves = ""
if (bounds) {
    bound_curves = ", for [p=0:1] data index 3*words(names)+curve(panel, p)-1 using 1:2 with lines lc rgb ink(p) dt 3 lw 1.6" \
        . " notitle, keyentry with lines lc rgb '#000000' dt 3 lw 1.6 title 'bound, counted in the listing'"
}
set multiplot
do for [panel=0:panels-1] {
    algorithm = word(names, panel + 1)
    call "plots/panel.gp" (panel) (algorithm[strstrt(algorithm, "-") + 1:*] . ": " . yname . (logy ? " (log scale)" : ""))
    if (panel == panels - 1) { @shared_key }
    plot for [i=1:words(names)] data index 3*(i-1) using 1:2 with lines lc rgb "#cccccc" lw 1 notitle, \
        for [p=0:1] data index 3*(curve(panel, p)-1) using 1:2 with linespoints \
            lc rgb ink(p) pt 5 + p ps 0.6 lw 1.6 title p ? "prefix sums" : "sum", \
        for [p=0:1] data index 3*(curve(panel, p)-1)+1 using 1:2 with points lc rgb ink(p) pt 6 ps 1.1 lw 1.2 notitle, \
        for [p=0:1] data index 3*(curve(panel, p)-1)+2 using 1:2 with points lc rgb ink(p) pt 8 ps 1.1 lw 1.2 notitle, \
        keyentry with lines lc rgb "#cccccc" title "the other algorithms", \
        keyentry with points lc rgb "#000000" pt 6 ps 1.1 title "warps in random order", \
        keyentry with points lc rgb "#000000" pt 8 ps 1.1 title "warps by an adversary" @bound_curves
    unset label 1001
    unset label 1002
}
unset multiplot
