PROGRAMS += micro-decode
SOURCES_micro-decode := $(addprefix $(HERE),decode.cu analysis.c reference.c)
LONG_TO_COMPILE += $(HERE)decode

SLOW_TESTS += tests/algorithms/decode
QUICK_TESTS += tests/small-decoder "tests/regressions micro-decode"
