# Draws a curve for each name. A name's data set has the columns X, Y and the two ends of Y's interval. If
# `tags` is set, the first data set has a fifth column with a name for each point, which is drawn where it
# differs from the name before. With `level`, a dotted line marks the level 1. With `cache`, a dotted line marks
# the size at which data fill the L2 cache.
load "plots/style.gp"
# A label stands above its curve where this is the higher of two, and else below.
if (tags) {
    second = ""
    if (words(names) > 1) { stats data index 1 using 1:(second = second . sprintf("%.9g %.9g ", $1, $2), $2) nooutput }
    other(x) = sum [i=1:words(second)/2] (word(second, 2*i - 1) == x ? word(second, 2*i) + 0 : 0)
    stats data index 0 using ($2 >= other($1) ? 2 : 1) nooutput name "place"
}
# A logarithmic axis ends near the data and the paper's numbers, and not at the next power of ten. The ranges
# are set after all are known, because gnuplot's statistics leave out what a range excludes.
if (logx || logy) {
    stats data using 1 nooutput name "at"
    stats data using 3 nooutput name "from"
    stats data using 4 nooutput name "to"
    left = at_min; right = at_max; low = from_min; high = to_max
    do for [name in "stars diamonds"] {
        if (value(name)) {
            eval "stats $" . name . " using 1 nooutput name 'at'"
            eval "stats $" . name . " using 2 nooutput name 'from'"
            left = at_min < left ? at_min : left
            right = at_max > right ? at_max : right
            low = from_min < low ? from_min : low
            high = from_max > high ? from_max : high
        }
    }
    if (tags) { set xrange [left / 2:right * 2] }
    if (logx && (stars || diamonds)) { set xrange [left / 1.06:right * 1.06] }
    # Without a factor of 3 between its ends a logarithmic axis has too few labels.
    if (level) { low = low < 1 ? low : 1; high = high > 1 ? high : 1 }
    if (logy && low > 0 && high / low < 3) {
        logy = 0
        unset logscale y
        call "plots/panel.gp" "0" (yname)
        set yrange [low - 0.08 * (high - low):high + 0.08 * (high - low)]
    }
    if (logy && low > 0) { set yrange [low / 1.4:high * 1.4] }
    # The labels of 1 and 2 times a power of ten lie nearest to each other.
    decades = left > 0 ? log10(right / left) : 0
    apart = decades > 0 ? 0.3 * (narrow ? 340 : 640) / decades : 0
    if (logx && !binary && left > 0 && right / left < 1000) {
        call "plots/tics.gp" "x" (apart > 8 * strlen(sprintf("%g", right)) + 6 ? "1 2 5" : "1 3")
    }
    if (logy && low > 0 && high / low < 500) { call "plots/tics.gp" "y" (high / low < 20 ? "1 1.5 2 3 5 7" : "1 2 5") }
}
if (xname eq "GPUs") { set xtics 1 }
if (cache > 0) {
    set arrow from first cache, graph 0 to first cache, graph 1 nohead lc rgb "#000000" dt 3
    set label "L2 full" at first cache, graph 0.97 right offset -0.5,0 font ",11"
}
levels = level ? ', 1 with lines lc rgb "#000000" dt 3 notitle' : ''
if (tags) {
    # Notes the name of a point, or "" if the point before has it, too.
    note(name) = (before = column(0) == 0 ? "" : last, last = name, shown = name eq before ? "" : name, 1)
    plot for [i=1:words(names)] data index i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 title label(i), \
        for [i=2:place_max] data index 0 using (note(strcol(5)) * $1):($2 >= other($1) ? $2 : NaN):(shown) with labels left offset 0.4,0.7 font ",11" noenhanced notitle, \
        for [i=place_min:1] data index 0 using (note(strcol(5)) * $1):($2 < other($1) ? $2 : NaN):(shown) with labels center offset 0,-0.9 font ",11" noenhanced notitle, \
        1 with lines lc rgb "#000000" dt 3 notitle @marks
} else {
    plot for [i=1:words(names)] data index i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.6 lw 1.6 dt dash(i) title label(i) @levels @marks
}
