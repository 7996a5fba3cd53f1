# Feng and Xiao 2010, Figure 1: kernel execution time of dynamic programming and bitonic sort against blocks.
load "plots/style.gp"
names = "cpu-implicit lock-based lock-free"
heading = "Feng and Xiao 2010, Figure 1\n"
load "plots/feng-pair.gp"
