# How fast the memory machine itself is, and what its weak memory costs.
$(BUILD)/machine/bench/machine: $(call objects,machine,bench/machine.cu $(MACHINE) $(wildcard base/*.c) harness/check.c)
	$(link_for_machine)
$(BUILD)/machine/bench/weak_memory: $(call objects,machine,bench/weak_memory.cu $(TEST_HARNESS) $(MACHINE))
	$(link_for_machine)
bench: $(BUILD)/machine/bench/machine
	@$<
