/* Empty: gpusync/cuda.h, which every program includes first, defines all of it. */
