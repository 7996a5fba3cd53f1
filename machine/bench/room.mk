# Measure how fast the memory machine itself is (machine/bench/machine) and how much its weak memory slows it down.
$(BUILD)/machine/bench/machine: $(call objects,machine,machine/bench/machine.cu $(MACHINE) $(BASE) harness/check.c)
	$(link_for_machine)
$(BUILD)/machine/bench/weak_memory: $(call objects,machine,machine/bench/weak_memory.cu $(TEST_HARNESS) $(MACHINE))
	$(link_for_machine)
machine-speed: $(BUILD)/machine/bench/machine
	@$<
NEEDS += $(BUILD)/machine/bench/machine
