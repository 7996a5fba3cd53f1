# When is a grid barrier worth it? Its gain over back-to-back launches against the size of the problem.
# The caller's data for this figure: scripts/size-gain.
load "plots/style.gp"
set title sprintf("%s: time of cpu-implicit over that of the fastest ordered grid barrier, %d blocks\n", program, sms) . what noenhanced
set ylabel "times as fast as cpu-implicit"
set xlabel "size"
set logscale x 2
set format x "2^{%L}"
set yrange [0:*]
set key inside top right
set rmargin 4
series = "2 3"
names = "'fastest ordered grid barrier' 'fastest CUDA graph'"
shades = "#e377c2 #5b3a8c"
plot for [i=1:(measured("cpu-graph") ? 2 : 1)] data using 1:int(word(series, i)) with linespoints \
    lc rgb word(shades, i) pt 3 + 2 * i lw 1.8 title word(names, i), \
    data using 1:2:4 with labels offset 0,1 font ",10" noenhanced notitle, \
    1 with lines lc rgb "#000000" dt 3 notitle
