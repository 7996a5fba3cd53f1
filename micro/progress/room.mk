PROGRAMS += micro-progress
SOURCES_micro-progress := $(HERE)progress.cu $(addprefix $(HERE),parse.c files.c graph.c decide.c)

# The program build/host/progress decides whether a small program ends under each of five models of progress
# (docs/progress.md).
$(BUILD)/host/progress: $(patsubst %.c,$(BUILD)/host/obj/%.o,$(wildcard $(HERE)*.c) $(BASE))
	$(link_for_host)
$(BUILD)/host/obj/$(HERE)main.o: $(BUILD)/revision.h

TESTS += tests/algorithms/progress tests/progress
NEEDS += $(BUILD)/host/progress
