# Builds gpusync-check (docs/check.md) and gpusync-predict (docs/machine.md), two tools for any CUDA file. nvcc compiles
# that file when a tool is called (tools/check/program.bash).
# check.o is the memory machine with the main() of gpusync-check, and predict.o is the machine with the main()
# of gpusync-predict. A user's CUDA file is linked with one of them. barrier.o is the
# machine alone, since the program that checks a user's barrier has a main() of its own.
# launches/check and launches/predict are whole programs, which make the launches of --launch; they read the PTX.
CHECK_ENTRIES := $(addprefix $(BUILD)/machine/,check.o predict.o barrier.o)
LAUNCHERS := $(addprefix $(BUILD)/machine/launches/,check predict)
# These names stay global in the three objects. All other names become local, so that a checked program can
# define them itself.
CHECK_SEEN := main gpusync_checked_* machine_* cu[A-Z]* cuda* __cuda* __tsan_* __sanitizer_*
$(BUILD)/machine/check.o $(BUILD)/machine/launches/check: $(call objects,machine,$(wildcard tools/check/*.c tools/check/explore/*.c) $(BASE) $(MACHINE))
$(BUILD)/machine/predict.o $(BUILD)/machine/launches/predict: $(call objects,machine,$(wildcard tools/check/*.c tools/predict/*.c) $(BASE) $(MACHINE)) \
  $(BUILD)/machine/obj/tools/predict/errors.o
$(BUILD)/errors.c: scripts/embed-errors $(wildcard tools/blind/kinds.tsv tools/blind/*/*.tsv tools/blind/*/*/*.tsv tools/blind/*/*/*/*.tsv)
	@mkdir -p $(@D)
	$(Q)scripts/embed-errors >$@
$(BUILD)/machine/obj/tools/predict/errors.o: $(BUILD)/errors.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_FLAGS) -c $< -o $@
$(BUILD)/machine/barrier.o: $(call objects,machine,$(BASE) $(MACHINE))
# The demangler of libstdc++ tells names of C++ in PTX.
$(LAUNCHERS): LIBS := -Wl,--no-as-needed -lstdc++
$(LAUNCHERS): $(call objects,machine,tools/check/ptx/launcher.c)
	$(link_for_machine)
$(CHECK_ENTRIES):
	@echo "  LD $@"
	$(Q)ld -r -o $@ $^ && objcopy -w $(CHECK_SEEN:%=--keep-global-symbol='%') $@

.PHONY: check-tool
check-tool: $(CHECK_ENTRIES) $(LAUNCHERS) $(BUILD)/host/progress

TESTS += tests/check_reports tests/check_survives tests/predict
SLOW_TESTS += tests/gpusync_check
QUICK_TESTS += "tests/gpusync_check tests/check/warp.cu tests/check/grid_sync.cu tests/check/lines.cu \
  tests/check/copies.cu tests/check/small_copies.cu tests/check/launched_alike.cu tests/check/bulk.cu tests/check/ptx_flag.cu"
NEEDS += check-tool $(BUILD)/report
