# Draws two panels, Smith-Waterman and bitonic sort. The data sets of the first panel come
# first.
panels = 2
load "plots/style.gp"
set multiplot
do for [panel=0:1] {
    call "plots/panel.gp" (panel) (panel ? "Bitonic sort, " : "Smith-Waterman, ") . yname
    if (panel == panels - 1) { @shared_key }
    plot for [i=1:words(names)] data index panel*words(names)+i-1 using 1:2:3:4 with yerrorlines \
        lc rgb color(i) pt point(i) ps 0.5 lw 1.6 dt dash(i) title label(i) @marks
    unset label 1001
    unset label 1002
}
unset multiplot
