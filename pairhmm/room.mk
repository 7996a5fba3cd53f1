PROGRAMS += pairhmm
SOURCES_pairhmm := $(addprefix $(HERE),pairhmm.cu tasks.c reference.c blocked.c plan.c pools.c)
LONG_TO_COMPILE += $(HERE)pairhmm

TESTED_pairhmm_plan := $(addprefix $(HERE),plan.c blocked.c tasks.c reference.c)
TESTS += $(BUILD)/host/pairhmm_plan $(BUILD)/machine/tests/arrivals $(BUILD)/machine/tests/redo
SLOW_TESTS += tests/algorithms/pairhmm
QUICK_TESTS += "tests/regressions pairhmm" "tests/stale --all results/reference/machine-gtx280/pairhmm" "tests/algorithms/refusals machine pairhmm" "tests/algorithms/pairhmm machine counted"
