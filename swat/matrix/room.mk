PROGRAMS += swat swat-sample
SOURCES_swat := $(HERE)swat.cu $(wildcard align/*.c)
SOURCES_swat-sample := $(addprefix $(HERE),sample.cu lines.c) $(wildcard align/*.c)
LONG_TO_COMPILE += $(HERE)swat

SLOW_TESTS += tests/algorithms/swat
QUICK_TESTS += "tests/regressions swat swat-sample" "tests/algorithms/refusals machine swat swat-sample"
NEEDS += $(BUILD)/host/oracles/alignment $(BUILD)/machine/swat-scores
