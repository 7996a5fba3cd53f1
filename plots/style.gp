# The look of every figure: one colour and one point for each way to synchronise, the same everywhere. Unordered variants
# (the PTX memory model does not guarantee their results) are dashed.
# The caller sets: data, output, format (svg or png), device, kind, sms, available (names of the measured variants).
if (format eq "svg") set terminal svg size 900,560 font "Helvetica,14" background "white" dynamic; \
else set terminal pngcairo size 1200,747 font "Helvetica,14" background "white"
set output output
set key outside right top vertical Left reverse samplen 3 spacing 1.1
set border 3 lw 1.2
set tics nomirror out
set grid ytics lw 0.6 lc rgb "#dddddd"
set lmargin 9
set xlabel "thread blocks"

all = "cpu-explicit cpu-implicit cpu-graph cpu-graph-pdl none lock-based lock-based-fence lock-free lock-free-fence tree tree-fence grid-sync release-acquire counter atomic-part syncthreads-part dataflow syncthreads atom-lock warp-barrier shared-lock tiny-lock warp-vote packed-word mbarrier data-parallel shuffle shuffle+counter shuffle+cpu-graph"
colors = "#7f7f7f #000000 #5b3a8c #a05fd0 #b0b0b0 #d62728 #d62728 #1f77b4 #1f77b4 #2ca02c #2ca02c #ff7f0e #8c564b #e377c2 #d62728 #17becf #bcbd22 #17becf #d62728 #ff7f0e #9c5a3c #2ca02c #98b34a #1f77b4 #9467bd #7f7f7f #000000 #e377c2 #5b3a8c"
points = "4 5 12 13 0 6 7 8 9 10 11 1 2 3 6 0 15 1 6 5 7 9 11 8 13 4 2 3 12"
dashes = "1 1 1 1 3 2 1 2 1 2 1 1 1 1 3 3 1 1 1 1 1 1 1 1 1 1 1 1 1"
number(name) = sum [i=1:words(all)] (word(all, i) eq name ? i : 0)
color(name) = word(colors, number(name))
point(name) = int(word(points, number(name)))
dash(name) = int(word(dashes, number(name)))
measured(name) = sum [i=1:words(available)] (word(available, i) eq name)
# Where a figure tells a device's own time from a prediction.
what = kind eq "machine" ? "predicted by the memory machine, preset " . device : "measured on " . device
# Those names of a list that were measured.
of_these(names) = names eq "" ? "" : (measured(word(names, 1)) ? word(names, 1) . " " : "") . \
    (words(names) > 1 ? of_these(names[strlen(word(names, 1)) + 2:]) : "")
