# Draws a bar for each row; a bar of an unordered variant is pale. Columns: name, value, (unused), 1 if
# ordered, color, the ends of the value's interval.
entries = 0
load "plots/names_below.gp"
load "plots/style.gp"
set bmargin slant + 1.5 * rows
set xlabel ""
set xtics rotate by -40 noenhanced
set rmargin 9
set xrange [-0.6:name_records - 0.4]
set offsets 0, 0, graph 0.06, 0 # room for the number above the highest bar
set boxwidth 0.7
if (!(stars || diamonds)) unset key
if (logy) { stats data using 2 nooutput; set yrange [STATS_min / 2:STATS_max * 1.6]; call "plots/tics_125.gp" "y" }
# Intervals are drawn as vectors, because the style of error bars blanks a disc around each of its points.
plot data using 0:($4 > 0 ? $2 : NaN):(0.7):5:xtic(1) with boxes lc rgb variable fs solid 0.85 notitle, \
    data using 0:($4 > 0 ? NaN : $2):(0.7):5 with boxes lc rgb variable fs transparent solid 0.25 notitle, \
    data using 0:6:(0):($7 - $6) with vectors nohead lw 1.6 lc rgb "#000000" notitle, \
    data using 0:($7 > $2 ? $7 : $2):(sprintf($2 < 10 ? "%.2f" : $2 < 100 ? "%.1f" : "%.0f", $2)) \
        with labels offset 0,0.7 font ",11" notitle @marks
