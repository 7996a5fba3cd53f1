PROGRAMS += nw
SOURCES_nw := $(addprefix $(HERE),nw.cu reference.c) $(wildcard align/*.c)
LONG_TO_COMPILE += $(HERE)nw

SLOW_TESTS += tests/algorithms/nw
QUICK_TESTS += "tests/regressions nw" "tests/stale --all results/reference/machine-gtx280/nw results/reference/machine-gtx280/nw@widest" "tests/algorithms/refusals machine nw"
