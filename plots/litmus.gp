# Draws a cell for each litmus test in each of its forms. Columns: the places of form and test, their names, 1
# if PTX allows the outcome, how often the outcome came on the device and on the machine, 1 if some execution
# of the machine's model shows the outcome.
entries = 0 # the legend stands beside the cells, above the long names
below = 150
load "plots/style.gp"
set key outside right top vertical
unset grid
set border 0
set tics scale 0
set xtics rotate by -35 noenhanced
set ytics noenhanced
unset ylabel
set key spacing 1.5
set lmargin 8
set rmargin 35
set xrange [-0.6:11.6]
set yrange [13.6:-0.6]
# A rate of one in a million is pale, a rate of 1 is dark.
share(rate) = rate > 0 ? (log10(rate) < -6 ? 0 : 1 + log10(rate) / 6) : 0
mixed(from, to, s) = int(from + (to - from) * s)
shade(r1, r2, g1, g2, b1, b2, rate) = \
    65536 * mixed(r1, r2, share(rate)) + 256 * mixed(g1, g2, share(rate)) + mixed(b1, b2, share(rate))
here(rate) = rate > 0 ? shade(198, 8, 219, 48, 239, 107, rate) : 0xffffff
there(rate, shown) = rate > 0 ? shade(253, 127, 208, 39, 162, 4, rate) : shown > 0 ? 0xfff1e0 : 0xffffff
left(x) = x - 0.44
right(x) = x + 0.44
forbidden = 0xe4e4e4
plot data using 1:2:(left($1)):1:($2 - 0.4):($2 + 0.4):($5 > 0 ? here($6) : forbidden):xtic(3):ytic(4) \
        with boxxyerror fs solid noborder lc rgb variable notitle, \
    data using 1:2:1:(right($1)):($2 - 0.4):($2 + 0.4):($5 > 0 ? there($7, $8) : forbidden) \
        with boxxyerror fs solid noborder lc rgb variable notitle, \
    data using 1:2:(left($1)):(right($1)):($2 - 0.4):($2 + 0.4) with boxxyerror \
        fs empty lc rgb "#888888" lw 0.7 notitle, \
    data using ($5 > 0 ? NaN : $1):2 with points pt 2 ps 0.9 lc rgb "#777777" title "PTX forbids it", \
    data using ($5 == 0 && $6 + $7 > 0 ? $1 : NaN):2 with points pt 5 ps 2.5 \
        lc rgb "#d62728" title "and it came", \
    keyentry with boxes fs solid lc rgb "#08306b" title "left: it came here", \
    keyentry with boxes fs solid lc rgb "#7f2704" title "right: on the machine", \
    keyentry with boxes fs solid lc rgb "#fff1e0" title "possible there, did not come", \
    keyentry with boxes fs empty lc rgb "#888888" title "allowed, did not come"
