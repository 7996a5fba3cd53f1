# Draws a lying bar for each row, the first at the top; a bar of an unordered variant is faint. On a logarithmic
# axis, where the length of a bar says nothing, there are dots instead, hollow for unordered variants. Columns:
# name, value, (unused), 1 if ordered, color, the ends of the value's interval.
entries = 0
lying = 1
stats stem . '.dat' using 2 nooutput name "bar"
tall = 130 + 27 * bar_records
load "plots/style.gp"
do for [name in "stars diamonds"] {
    if (value(name)) {
        eval "stats $" . name . " using 2 nooutput name 'mark'"
        bar_max = mark_max > bar_max ? mark_max : bar_max
    }
}
set yrange [bar_records - 0.4:-0.6]
from = 0
if (logy) {
    from = bar_min / 1.6
    set xrange [from:bar_max * 1.25]
    call "plots/tics.gp" "x" "1 2 5"
} else {
    set xrange [0:bar_max * 1.1]
    set xtics step(bar_max * 1.1)
}
if (!(stars || diamonds)) { unset key }
# A mark of the paper may stand at the end of a bar, so that numbers then stand at the right.
marked = stars || diamonds
if (marked) { set rmargin 9 }
wide(value) = sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
# Intervals are drawn as vectors, because the style of error bars blanks a disc around each of its points.
bar(row, ordered) = !logy && ordered ? row : NaN
dot(row, ordered) = logy && ordered ? row : NaN
if (logy) { set grid ytics lt 1 lw 0.6 lc rgb "#dddddd" }
plot data using (from):0:ytic(1) with dots lc rgb "#ffffffff" notitle, \
    data using (from):(bar($0, $4 > 0)):(from):2:($0 - 0.36):($0 + 0.36):5 \
        with boxxyerror lc rgb variable fs solid 0.85 noborder notitle, \
    data using (from):(bar($0, $4 <= 0)):(from):2:($0 - 0.36):($0 + 0.36):5 \
        with boxxyerror lc rgb variable fs transparent solid 0.3 noborder notitle, \
    data using 2:(dot($0, $4 > 0)):5 with points pt 7 ps 1.1 lc rgb variable notitle, \
    data using 2:(dot($0, $4 <= 0)):5 with points pt 6 lw 2 ps 1.1 lc rgb variable notitle, \
    data using 6:0:($7 - $6):(0) with vectors nohead lw 1.6 lc rgb "#000000" notitle, \
    data using (marked ? bar_max * (logy ? 1.25 : 1.1) : $7 > $2 ? $7 : $2):0:(wide($2)) with labels left offset (logy ? 1.3 : 0.6),0 font ",11" notitle @marks
