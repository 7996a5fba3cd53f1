PROGRAMS += micro-litmus
LITMUS := $(HERE)litmus_test.c $(HERE)litmus_outcome.c $(HERE)litmus_classic.c $(HERE)ptx_events.c $(HERE)ptx_barriers.c \
  $(HERE)ptx_axioms.c
SOURCES_micro-litmus := $(HERE)litmus.cu $(LITMUS)
# Only the machine's memory model can be explored completely, so only its program has litmus_explore.c.
$(BUILD)/machine/micro-litmus: $(BUILD)/machine/obj/$(HERE)litmus_explore.o

# The program build/host/axioms shows an execution of a litmus test, and why PTX allows or forbids it.
AXIOMS_SOURCES := $(HERE)axioms.c $(HERE)ptx_show.c $(HERE)ptx_explain.c $(LITMUS)
LITMUS_AXIOMS := $(BUILD)/host/axioms
$(LITMUS_AXIOMS): $(patsubst %.c,$(BUILD)/host/obj/%.o,$(AXIOMS_SOURCES) $(BASE))
	$(link_for_host)
$(BUILD)/host/obj/$(HERE)axioms.o: $(BUILD)/revision.h
NEEDS += $(LITMUS_AXIOMS) $(BUILD)/report
host-tests: $(LITMUS_AXIOMS)

TESTED_memory_model := $(MEMORY_MODEL) $(LITMUS) $(HERE)litmus_explore.c
TESTS += $(BUILD)/host/memory_model tests/axioms
