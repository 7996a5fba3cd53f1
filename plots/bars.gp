# A bar for each row: name, value, (unused), 1 if ordered, color, the ends of its interval. Pale: unordered.
load "plots/style.gp"
set xlabel ""
set xtics rotate by -40 noenhanced
set rmargin 9
set boxwidth 0.7
unset key
plot data using 0:($4 > 0 ? $2 : NaN):(0.7):5:xtic(1) with boxes lc rgb variable fs solid 0.85, \
    data using 0:($4 > 0 ? NaN : $2):(0.7):5 with boxes lc rgb variable fs transparent solid 0.25, \
    data using 0:2:6:7 with yerrorbars pt 0 lw 1.4 lc rgb "#000000", \
    data using 0:2:(sprintf($2 < 10 ? "%.2f" : $2 < 100 ? "%.1f" : "%.0f", $2)) with labels offset 0,0.7 font ",11"
