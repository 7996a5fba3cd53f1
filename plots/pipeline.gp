# Draws the requests of warps. Columns: warp, and the times at which the request is dispatched, served and
# complete.
entries = 2
longest = strlen("in the pipeline")
load "plots/style.gp"
set rmargin 16
set ylabel "warp"
stats data using 1 nooutput
set yrange [STATS_max + 0.6:-0.6]
set offsets 0, 1, 0, 0
set ytics 0, 1
plot data using 3:1:3:4:($1 - 0.3):($1 + 0.3) with boxxyerror \
        lc rgb "#1f77b4" fs solid 0.35 title "in the pipeline", \
    data using 2:1 with points pt 7 ps 0.8 lc rgb "#d62728" title "dispatched"
