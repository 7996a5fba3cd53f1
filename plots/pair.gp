# Draws two panels, Smith-Waterman and bitonic sort. The data sets of the first panel come
# first.
room = 380 # the width of a panel, which has its own legend
load "plots/style.gp"
unset label
set multiplot layout 1,2 title heading . "\n" . what noenhanced font ",11"
do for [half=0:1] {
    unset arrow
    unset label
    if (half == 0 && exists("lines_of_0")) { eval lines_of_0 }
    if (half == 1 && exists("lines_of_1")) { eval lines_of_1 }
    set title half ? "bitonic sort" : "Smith-Waterman"
    plot for [i=1:words(names)] data index half*words(names)+i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.5 lw 1.6 dt dash(i) title label(i) @marks
}
unset multiplot
