PROGRAMS += swat-scores
SOURCES_swat-scores := $(HERE)scores.cu $(HERE)ranking.c $(wildcard align/*.c)
LONG_TO_COMPILE += $(HERE)scores

TESTED_ranking := $(HERE)ranking.c
TESTS += $(BUILD)/host/ranking
QUICK_TESTS += "tests/regressions swat-scores" "tests/algorithms/refusals machine swat-scores"
