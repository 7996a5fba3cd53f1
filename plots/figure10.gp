# Xiao and Feng 2010, Figure 10: kernel execution time against blocks.
load "plots/style.gp"
set title sprintf("Kernel time of %s (Xiao and Feng 2010, Figure 10)\n", program) . what noenhanced
set ylabel "milliseconds"
set yrange [0:*]
names = "cpu-implicit lock-based lock-free" . (measured("counter") ? " counter" : "") . (measured("dataflow") ? " dataflow" : "")
plot for [i=1:words(names)] data index word(names, i) using ($1 <= sms ? $1 : NaN):3 with linespoints \
    lc rgb color(word(names, i)) pt point(word(names, i)) ps 0.6 lw 1.6 dt dash(word(names, i)) title word(names, i)
