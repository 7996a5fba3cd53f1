# Feng and Xiao 2010, Figure 2: kernel execution time with __threadfence() of dynamic programming and bitonic sort against blocks.
load "plots/style.gp"
names = "cpu-implicit lock-based-fence lock-free-fence"
heading = "Feng and Xiao 2010, Figure 2 (with __threadfence())\n"
load "plots/feng-pair.gp"
