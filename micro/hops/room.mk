PROGRAMS += micro-dependency micro-hop-pairs micro-megakernel
SOURCES_micro-dependency := $(HERE)dependency.cu
SOURCES_micro-hop-pairs := $(HERE)hop-pairs.cu
SOURCES_micro-megakernel := $(HERE)megakernel.cu $(HERE)layers.c
LONG_TO_COMPILE += $(HERE)dependency $(HERE)megakernel

TESTED_layers := $(HERE)layers.c
TESTS += $(BUILD)/host/layers
SLOW_TESTS += tests/algorithms/tiles
QUICK_TESTS += "tests/regressions micro-dependency micro-megakernel" \
  "tests/stale --all $(addprefix results/reference/machine-gtx280/micro-,dependency megakernel)"
