# Xiao and Feng 2010, Figure 8: execution time of the micro-benchmark, 10,000 rounds.
load "plots/style.gp"
set title "Micro-benchmark, 10,000 rounds (Xiao and Feng 2010, Figure 8)\n" . what noenhanced
set ylabel "milliseconds"
set xrange [0:sms + 0.5]
set yrange [0:*]
names = "cpu-explicit cpu-implicit lock-based lock-free none"
plot for [i=1:words(names)] data index word(names, i) using ($1 <= sms ? $1 : NaN):($2 * 10) with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.6 lw 1.6 dt dash(word(names, i)) title word(names, i)
