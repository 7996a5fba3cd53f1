TESTED_ptx_arithmetic := $(addprefix $(HERE),arithmetic.c floating.c convert.c)

TESTS += $(BUILD)/host/ptx_arithmetic
TESTS += tests/ptx_checker
