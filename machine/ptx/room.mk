TESTED_ptx_arithmetic := $(addprefix $(HERE),arithmetic.c floating.c convert.c)

TESTS += $(BUILD)/host/ptx_arithmetic
SLOW_TESTS += tests/ptx_answers
# tests/ptx_answers links programs that nvcc compiles with all objects of the machine.
NEEDS += $(call objects,machine,$(MACHINE) $(BASE))
TESTS += tests/ptx_programs
