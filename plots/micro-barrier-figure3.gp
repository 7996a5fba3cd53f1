# Feng and Xiao 2010, Figure 3: profile of the lock-based barrier in five scenarios, 10,000 rounds.
load "plots/style.gp"
set title "Profile of lock-based synchronization, 10,000 rounds (Feng and Xiao 2010, Figure 3)\n" . what noenhanced
set ylabel "milliseconds"
set xrange [0:sms + 0.5]
set yrange [0:*]
names = "none atomic-part syncthreads-part lock-based lock-based-fence"
labels = "'t1: computation' 't2: atomicAdd' 't3: + __syncthreads' 't4: lock-based' 't5: + __threadfence'"
shades = "#7f7f7f #d62728 #17becf #1f77b4 #9467bd"
plot for [i=1:words(names)] data index word(names, i) using ($1 <= sms ? $1 : NaN):($2 * 10) with linespoints \
    lc rgb word(shades, i) pt i ps 0.6 lw 1.6 title word(labels, i) noenhanced
