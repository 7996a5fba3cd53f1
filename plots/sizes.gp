# When is a grid barrier worth it? Its gain over back-to-back launches against the size of the problem.
# The caller's data for this figure: scripts/size-gain.
load "plots/style.gp"
set title sprintf("%s: gain over back-to-back launches (cpu-implicit), %d blocks\n", program, sms) . what noenhanced
set ylabel "times as fast as cpu-implicit"
set xlabel "size"
set logscale x 2
set format x "2^{%L}"
set yrange [0:*]
names = "'fastest ordered grid barrier' 'fastest CUDA graph' 'dataflow, no barrier'"
shades = "#e377c2 #5b3a8c #bcbd22"
there(i) = i == 1 || (i == 2 && measured("cpu-graph")) || (i == 3 && measured("dataflow"))
plot for [i=1:3] data using 1:(there(i) ? column(i + 1) : NaN) with linespoints \
    lc rgb word(shades, i) pt 3 + 2 * i lw 1.8 title there(i) ? word(names, i) : "", \
    data using 1:2:5 with labels offset 0,1 font ",10" noenhanced notitle, \
    1 with lines lc rgb "#000000" dt 3 notitle
