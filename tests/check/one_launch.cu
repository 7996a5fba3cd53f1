/* The additions of launches.cu in one launch. */
#define LAUNCHES 1
#include "launches.cu"
