PROGRAMS += micro-litmus
LITMUS := $(ROOM)litmus_test.c $(ROOM)litmus_outcome.c $(ROOM)litmus_classic.c $(ROOM)ptx_events.c $(ROOM)ptx_barriers.c \
  $(ROOM)ptx_axioms.c
SOURCES_micro-litmus := $(ROOM)litmus.cu $(LITMUS)
# The machine's memory model can be explored whole; a GPU's cannot.
$(BUILD)/machine/micro-litmus: $(BUILD)/machine/obj/$(ROOM)litmus_explore.o
