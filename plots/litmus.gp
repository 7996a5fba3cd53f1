# Draws a cell for each litmus test (a column) in each of its forms (a row). Columns of the data: the places of
# form and test, their names, 1 if PTX allows the outcome, how often the outcome came on the device and on the
# machine, 1 if some execution of the machine's model shows the outcome.
stats stem . '.dat' using ($5 == 0 && $6 + $7 > 0 ? 1 : 0) nooutput name "wrong"
entries = 4 + wrong_max
longest = strlen("forbidden, and it came")
tall = 535
load "plots/style.gp"
# The accesses of each test: W writes, R reads, and | stands between two threads.
threads = 'mp "Wx Wy | Ry Rx" sb "Wx Ry | Wy Rx" lb "Ry Wx | Rx Wy" s "Wx Wy | Ry Wx" r "Wx Wy | Wy Rx" ' \
    . '2+2w "Wx Wy | Wy Wx" iriw "Wx | Wy | Rx Ry | Ry Rx" wrc "Wx | Rx Wy | Ry Rx" isa2 "Wx Wy | Ry Wz | Rz Rx" ' \
    . 'rwc "Wx | Rx Ry | Wy Rx" corr "Wx | Rx Rx" coww "Wx Wx" cowr "Wx Rx | Wx" corw "Rx Wx | Wx"'
found(test) = sum [i=1:words(threads)/2] (word(threads, 2*i - 1) eq test ? 2*i : 0)
explained(test) = test . (found(test) ? ":  " . word(threads, found(test)) : "")
unset grid
set border 0
set tics scale 0
small = narrow ? ",11" : ",12"
set xtics noenhanced rotate by 90 right font small
set ytics noenhanced font small
@shared_key
if (narrow) { set lmargin at screen 0.46 }
dots = narrow ? 0.35 : 0.55
unset label 1003
unset xlabel
bottom = 24.0 * rows + 26 # the height of the legend
set bmargin at screen (bottom + 185) / height
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
plot data using 2:1:xtic(explained(strcol(4))):ytic(3) with dots lc rgb "#ffffffff" notitle, \
    data using 2:1:($2 - 0.44):($2 + 0.44):($1 - 0.42):($1 + 0.42):(here($5, $6)) \
        with boxxyerror fs solid noborder lc rgb variable notitle, \
    data using 2:1:($2 - 0.44):($2 + 0.44):($1 - 0.42):($1 + 0.42) with boxxyerror \
        fs empty lc rgb "#888888" lw 0.7 notitle, \
    data using ($5 > 0 ? NaN : $2):1 with points pt 2 ps 1.6 * dots lc rgb "#777777" title "PTX forbids it", \
    for [i=1:wrong_max] data using ($5 == 0 && $6 + $7 > 0 ? $2 : NaN):1 with points pt 5 ps 2.5 \
        lc rgb "#d62728" title "forbidden, and it came", \
    data using (dotted($6, $7, $8) ? $2 : NaN):1 with points pt 7 ps 0.2 + dots lc rgb "#ffffff" notitle, \
    data using (dotted($6, $7, $8) ? $2 : NaN):1 with points pt 7 ps dots lc rgb "#d95f02" \
        title "the model shows it", \
    keyentry with boxes fs solid lc rgb "#08306b" title "it came here, often", \
    keyentry with boxes fs solid lc rgb "#c6dbef" title "it came here, rarely"
