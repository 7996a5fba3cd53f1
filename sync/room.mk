TESTS += $(BUILD)/machine/tests/barriers "$(BUILD)/machine/tests/barriers h100" $(BUILD)/machine/tests/all_reduce $(BUILD)/machine/tests/contracts
SLOW_TESTS += tests/headers
QUICK_TESTS += "$(BUILD)/machine/tests/machine_weak 2 2 5"
