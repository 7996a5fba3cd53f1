# SPDX-License-Identifier: MIT
# Examples: they include only sync/.

EXAMPLES := $(patsubst examples/%.cu,%,$(wildcard examples/*.cu))
# With the contract of sync/ checked.
$(BUILD)/machine/obj/examples/%.cu.o: MACHINE_CU_FLAGS += -DGPUSYNC_CHECKED
define EXAMPLE
$(BUILD)/machine/examples/$(1): $(call objects,machine,examples/$(1).cu $(MACHINE) $(wildcard base/*.c)); $$(link_for_machine)
$(BUILD)/gpu/examples/$(1): $(BUILD)/gpu/obj/examples/$(1).cu.o; $$(link_for_gpu)
endef
$(foreach e,$(EXAMPLES),$(eval $(call EXAMPLE,$(e))))

# A barrier of yours: BARRIER is its header, TYPE its name in there. It may be a copy of one of sync/, whose includes are
# sought there.
CHECKED := $(BUILD)/machine/examples/checked-barrier
check-barrier: $(call objects,machine,$(MACHINE) $(wildcard base/*.c))
	@mkdir -p $(dir $(CHECKED))
	$(Q)$(CXX) $(MACHINE_CU_FLAGS) -iquote sync -DGPUSYNC_CHECKED $(if $(BARRIER),-DBARRIER_FILE='"$(abspath $(BARRIER))"') \
	  $(if $(TYPE),-DBARRIER_TYPE='$(TYPE)') -c examples/check-my-barrier.cu -o $(CHECKED).o
	$(Q)$(CXX) -o $(CHECKED) $(CHECKED).o $^ $(MACHINE_LIBS) -lm
	@$(CHECKED)
