# Draws the requests of warps. Columns: warp, and the times at which the request is dispatched, served and
# complete.
entries = 2
load stem . '.set'
stats stem . '.dat' using 4 nooutput
x_least = 0
x_most = STATS_max
longest = strlen("in the pipeline")
load "plots/style.gp"
stats data using 1 nooutput
set yrange [STATS_max + 0.6:-0.6]
set offsets 0, 1, 0, 0
set ytics ("warp 0" 0)
do for [warp=1:int(STATS_max)] { set ytics add (sprintf("warp %d", warp) warp) }
plot data using 3:1:3:4:($1 - 0.3):($1 + 0.3) with boxxyerror \
        lc rgb "#1f77b4" fs solid 0.35 title "in the pipeline", \
    data using 2:1 with points pt 7 ps 0.8 lc rgb "#d62728" title "dispatched"
