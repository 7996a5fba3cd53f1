/* What it has is there without it (gpusync/cuda.h). */
