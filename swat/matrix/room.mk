PROGRAMS += swat swat-sample
SOURCES_swat := $(addprefix $(HERE),swat.cu alignment.c) $(wildcard align/*.c)
SOURCES_swat-sample := $(addprefix $(HERE),sample.cu alignment.c lines.c) $(wildcard align/*.c)
LONG_TO_COMPILE += $(HERE)swat

SLOW_TESTS += tests/algorithms/swat
QUICK_TESTS += "tests/regressions swat"
NEEDS += $(BUILD)/host/oracles/alignment $(BUILD)/machine/swat-scores
