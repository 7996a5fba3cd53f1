# Draws a cell for each litmus test (a column) in each of its forms (a row). Columns of the data: the places of
# form and test, their names, 1 if PTX allows the outcome, how often the outcome came on the device and on the
# machine, 1 if some execution of the machine's model shows the outcome.
stats stem . '.dat' using ($5 == 0 && $6 + $7 > 0 ? 1 : 0) nooutput name "wrong"
entries = 4 + wrong_max
room = 600
longest = strlen("the memory machine shows it")
tall = 470
load "plots/style.gp"
unset grid
set border 0
set tics scale 0
set xtics noenhanced offset 0,-0.3 font ",12"
set ytics noenhanced
set xlabel "test" offset 0,-0.5
unset ylabel
set xrange [-0.6:13.6]
set yrange [11.6:-0.6]
# A rate of one in a million is faint, a rate of 1 is strong.
share(rate) = rate > 0 ? (log10(rate) < -6 ? 0 : 1 + log10(rate) / 6) : 0
mixed(from, to, s) = int(from + (to - from) * s)
shade(rate) = 65536 * mixed(198, 8, share(rate)) + 256 * mixed(219, 48, share(rate)) + mixed(239, 107, share(rate))
# On the machine's own page a dot means that the outcome is possible and did not come.
own = strstrt(what, "memory machine") > 0
dotted(here, there, shown) = own ? here == 0 && shown > 0 : there + shown > 0
here(allowed, rate) = rate > 0 ? shade(rate) : allowed > 0 ? 0xffffff : 0xe4e4e4
plot data using 2:1:xtic(4):ytic(3) with dots lc rgb "#ffffffff" notitle, \
    data using 2:1:($2 - 0.44):($2 + 0.44):($1 - 0.42):($1 + 0.42):(here($5, $6)) \
        with boxxyerror fs solid noborder lc rgb variable notitle, \
    data using 2:1:($2 - 0.44):($2 + 0.44):($1 - 0.42):($1 + 0.42) with boxxyerror \
        fs empty lc rgb "#888888" lw 0.7 notitle, \
    data using ($5 > 0 ? NaN : $2):1 with points pt 2 ps 0.9 lc rgb "#777777" title "PTX forbids it", \
    for [i=1:wrong_max] data using ($5 == 0 && $6 + $7 > 0 ? $2 : NaN):1 with points pt 5 ps 2.5 \
        lc rgb "#d62728" title "forbidden, and it came", \
    data using (dotted($6, $7, $8) ? $2 : NaN):1 with points pt 7 ps 0.75 lc rgb "#ffffff" notitle, \
    data using (dotted($6, $7, $8) ? $2 : NaN):1 with points pt 7 ps 0.55 lc rgb "#d95f02" \
        title "the memory machine shows it", \
    keyentry with boxes fs solid lc rgb "#08306b" title "it came here, often", \
    keyentry with boxes fs solid lc rgb "#c6dbef" title "it came here, rarely"
