PROGRAMS += bitonic
SOURCES_bitonic := $(addprefix $(HERE),bitonic.cu keys.c passes.c)
LONG_TO_COMPILE += $(HERE)bitonic

TESTED_bitonic_plan := $(HERE)passes.c
TESTS += $(BUILD)/host/bitonic_plan $(BUILD)/machine/tests/sort_rooms
SLOW_TESTS += tests/algorithms/bitonic
QUICK_TESTS += "tests/regressions bitonic" "tests/weak_memory --only radix" "tests/algorithms/refusals machine bitonic"
NEEDS += $(BUILD)/host/oracles/sort
