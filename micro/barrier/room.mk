PROGRAMS += micro-barrier micro-split micro-stencil micro-residency
SOURCES_micro-barrier := $(HERE)barrier.cu $(HERE)barrier_fits.c
SOURCES_micro-split := $(HERE)split.cu
SOURCES_micro-stencil := $(HERE)stencil.cu $(HERE)plate.c
SOURCES_micro-residency := $(HERE)residency.cu $(HERE)part.c
LONG_TO_COMPILE += $(HERE)barrier $(HERE)split $(HERE)stencil

TESTED_barrier_fits := $(HERE)barrier_fits.c
TESTS += $(BUILD)/host/barrier_fits
QUICK_TESTS += "$(BUILD)/machine/tests/barriers h100" tests/deadlocks \
  "tests/regressions micro-barrier micro-split micro-stencil micro-residency" "tests/stale --all results/reference/machine-gtx280/micro-split"
NEEDS += $(BUILD)/machine/micro-hazards
