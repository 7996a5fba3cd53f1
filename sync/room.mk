TESTS += $(BUILD)/machine/tests/barriers "$(BUILD)/machine/tests/barriers h100" $(addprefix $(BUILD)/machine/tests/,all_reduce contracts machine_fences)
SLOW_TESTS += tests/headers
QUICK_TESTS += "$(BUILD)/machine/tests/machine_weak 2 2 5"
