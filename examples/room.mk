# SPDX-License-Identifier: MIT
# The examples include only headers of sync/ (tests/examples).

EXAMPLES := $(patsubst examples/%.cu,%,$(wildcard examples/*.cu))
# With GPUSYNC_CHECKED, a kernel that uses sync/ against the rules of its headers stops with an error.
$(BUILD)/machine/obj/examples/%.cu.o: MACHINE_CU_FLAGS += -DGPUSYNC_CHECKED
define EXAMPLE
$(BUILD)/machine/examples/$(1): $(call objects,machine,examples/$(1).cu $(MACHINE) $(BASE)); $$(link_for_machine)
$(BUILD)/gpu/examples/$(1): $(BUILD)/gpu/obj/examples/$(1).cu.o; $$(link_for_gpu)
endef
$(foreach e,$(EXAMPLES),$(eval $(call EXAMPLE,$(e))))

# Checks a user's barrier: BARRIER is its header and TYPE the name of its type. The header can be a changed
# copy of one of sync/, because its #include lines are also looked up in sync/.
CHECKED := $(BUILD)/machine/examples/checked-barrier
check-barrier: $(call objects,machine,$(MACHINE) $(BASE))
	@mkdir -p $(dir $(CHECKED))
	$(Q)$(CXX) $(MACHINE_CU_FLAGS) -iquote sync -DGPUSYNC_CHECKED \
	  $(if $(BARRIER),-DBARRIER_FILE='"$(abspath $(BARRIER))"') $(if $(TYPE),-DBARRIER_TYPE='$(TYPE)') \
	  -c examples/check-my-barrier.cu -o $(CHECKED).o
	$(Q)$(CXX) -o $(CHECKED) $(CHECKED).o $^ $(MACHINE_LIBS) -lm
	@$(CHECKED)

TESTS += tests/examples
NEEDS += $(EXAMPLES:%=$(BUILD)/machine/examples/%)
