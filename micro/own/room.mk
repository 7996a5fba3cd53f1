# A barrier or a step of the user's own is compiled with those objects of the suite that depend on it, and
# linked with all others. OWN is the folder of these objects and of the programs, and OWN/options has the
# options of the compilers that name the user's header. scripts/gpusync-bench makes both, anew each time.
SOURCES_own-step := $(HERE)own.cu
OWN ?=
ifneq ($(OWN),)
# Only these objects depend on a user's barrier or step.
OWN_SEEN := harness/methods.o micro/barrier/barrier.cu.o $(HERE)own.cu.o
own_objects = $(foreach o,$(call objects,$(1),$(2)),$(if $(filter $(OWN_SEEN:%=$(BUILD)/$(1)/obj/%),$(o)),$(o:$(BUILD)/%=$(OWN)/%),$(o)))
define OWN_PROGRAM
$(OWN)/machine/$(1): $$(call own_objects,machine,$(2) $$(HARNESS) $$(MACHINE)); $$(link_for_machine)
$(OWN)/gpu/$(1): $$(call own_objects,gpu,$(2) $$(HARNESS) $$(GPU_HARNESS)); $$(link_for_gpu)
endef
$(eval $(call OWN_PROGRAM,own-barrier,micro/barrier/barrier.cu micro/barrier/barrier_fits.c))
$(eval $(call OWN_PROGRAM,own-step,$(HERE)own.cu))

$(OWN)/machine/obj/harness/methods.o: harness/methods.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) @$(OWN)/options -c $< -o $@
$(OWN)/gpu/obj/harness/methods.o: harness/methods.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -isystem $(CUDA_HOME)/include @$(OWN)/options -c $< -o $@
$(OWN)/machine/obj/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(PTX_FLAGS) -w --options-file $(OWN)/options -c $< -o $@
$(OWN)/gpu/obj/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) -w --options-file $(OWN)/options -c $< -o $@
endif

SLOW_TESTS += tests/bench_own
NEEDS += check-tool $(BUILD)/report $(BUILD)/machine/micro-barrier
