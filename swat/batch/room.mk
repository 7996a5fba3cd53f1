PROGRAMS += swat-batch
SOURCES_swat-batch := $(addprefix $(HERE),batch.cu gatk.c gatk_tasks.c blocked.c plan.c pools.c) align/alignment.c
LONG_TO_COMPILE += $(HERE)batch

TESTED_sw_plan := $(addprefix $(HERE),plan.c blocked.c gatk_tasks.c)
TESTS += $(BUILD)/host/sw_plan
SLOW_TESTS += tests/algorithms/batches
QUICK_TESTS += "tests/regressions swat-batch" "tests/stale --all results/reference/machine-gtx280/swat-batch" "tests/algorithms/refusals machine swat-batch"
