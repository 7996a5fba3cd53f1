PROGRAMS += micro-barrier micro-split micro-stencil micro-residency
SOURCES_micro-barrier := $(HERE)barrier.cu $(HERE)barrier_fits.c
SOURCES_micro-split := $(HERE)split.cu
SOURCES_micro-stencil := $(HERE)stencil.cu $(HERE)plate.c
SOURCES_micro-residency := $(HERE)residency.cu $(HERE)part.c
LONG_TO_COMPILE += $(HERE)barrier $(HERE)split $(HERE)stencil

QUICK_TESTS += "$(BUILD)/machine/tests/barriers h100" tests/deadlocks \
  "tests/regressions micro-barrier micro-split micro-stencil micro-residency" "tests/stale --all results/reference/machine-gtx280/micro-split" \
  "tests/stale --seed 1 results/reference/machine-gtx280/micro-barrier"
NEEDS += $(BUILD)/machine/micro-hazards
