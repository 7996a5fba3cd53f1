TESTS += $(BUILD)/machine/tests/barriers "$(BUILD)/machine/tests/barriers h100" $(addprefix $(BUILD)/machine/tests/,all_reduce contracts machine_fences)
SLOW_TESTS += tests/headers tests/fences
QUICK_TESTS += "$(BUILD)/machine/tests/machine_weak 2 2 5" $(BUILD)/machine/tests/machine_fermi
NEEDS += $(addprefix $(BUILD)/machine/,examples/hop bitonic-multi-gpu micro-all-reduce micro-hazards micro-multi-gpu \
  micro-producer-consumer micro-split micro-stencil)
