# SPDX-License-Identifier: MIT
# The examples include only headers of sync/ (tests/examples).

EXAMPLES := $(patsubst examples/%.cu,%,$(wildcard examples/*.cu))
# With GPUSYNC_CHECKED, a kernel that uses sync/ against the rules of its headers stops with an error.
$(BUILD)/machine/obj/examples/%.cu.o: PTX_FLAGS += -DGPUSYNC_CHECKED
define EXAMPLE
$(BUILD)/machine/examples/$(1): $(call objects,machine,examples/$(1).cu $(MACHINE) $(BASE)); $$(link_for_machine)
$(BUILD)/gpu/examples/$(1): $(BUILD)/gpu/obj/examples/$(1).cu.o; $$(link_for_gpu)
endef
$(foreach e,$(EXAMPLES),$(eval $(call EXAMPLE,$(e))))

TESTS += tests/examples tests/cluster
NEEDS += $(BUILD)/report $(EXAMPLES:%=$(BUILD)/machine/examples/%)
