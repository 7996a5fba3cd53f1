PROGRAMS += sum
SOURCES_sum := $(addprefix $(HERE),sum.cu phases.c numbers.c)
LONG_TO_COMPILE += $(HERE)sum

TESTED_sum_plan := $(HERE)phases.c report/papers/listing.c
TESTED_sum_numbers := $(HERE)numbers.c
TESTS += $(BUILD)/host/sum_plan $(BUILD)/host/sum_numbers $(BUILD)/machine/tests/machine_late tests/algorithms/sum
SLOW_TESTS += tests/bounds
QUICK_TESTS += "tests/regressions sum" "tests/stale --all results/reference/machine-gtx280/sum" "tests/algorithms/refusals machine sum"
NEEDS += $(BUILD)/report
