# Li 2015, Figure 4: cycles of the reduction phase, 16 warps, by the way in which a warp hands its values to the next.
load "plots/style.gp"
set title "A chain of 16 warps, each waits for the one before (Li 2015, Figure 4)\n" . what noenhanced
set ylabel "cycles"
set xlabel ""
set yrange [0:*]
set boxwidth 0.7
set rmargin 4
unset key
names = of_these("atom-lock warp-barrier shared-lock tiny-lock warp-vote syncthreads packed-word mbarrier")
set xrange [0.4:words(names) + 0.6]
set xtics rotate by -25 noenhanced ("" 0)
set for [i=1:words(names)] xtics add (word(names, i) i)
name_color(name) = int("0x" . substr(color(name), 2, 7))
plot for [i=1:words(names)] data index word(names, i) using (i):($1 == 16 ? $3 : NaN):(0.7):(name_color(word(names, i))) \
    with boxes lc rgb variable fs solid 0.85, \
    for [i=1:words(names)] data index word(names, i) using (i):($1 == 16 ? $3 : NaN):(sprintf("%.0f", $3)) with labels offset 0,0.7
