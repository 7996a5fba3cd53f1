# Both halves of Figures 1 and 2 of Feng and Xiao 2010, for the names that the caller sets; data is the first half's file,
# and the second half's is beside it.
set ylabel "milliseconds"
set yrange [0:*]
set key outside bottom center horizontal
set multiplot layout 1,2 title heading . what noenhanced
do for [half in "swat bitonic"] {
    set title half eq "swat" ? "dynamic programming (swat)" : "bitonic sort"
    file = substr(data, 1, strstrt(data, "swat.dat") - 1) . half . ".dat"
    plot for [i=1:words(names)] file index word(names, i) using ($1 <= sms ? $1 : NaN):3 with linespoints \
        lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.5 lw 1.6 dt dash(word(names, i)) title word(names, i)
}
unset multiplot
