# gpusync-check: is a CUDA file right? (docs/check.md)

CHECK_LIBRARY := $(BUILD)/machine/check.o
# Names of the machine that a program may meet; all others are its own.
CHECK_SEEN := main machine_* cuda* __tsan_* __sanitizer_*
CHECK_REWRITE := $(BUILD)/host/check-rewrite
$(CHECK_LIBRARY): $(call objects,machine,$(patsubst %.c,%,$(wildcard check/explore/*.c base/*.c)) $(MACHINE))
	@echo "  LD $@"
	$(Q)ld -r -o $@ $^ && objcopy -w $(CHECK_SEEN:%=--keep-global-symbol='%') $@
$(CHECK_REWRITE): $(patsubst %.c,$(BUILD)/host/obj/%.o,$(wildcard check/rewrite/*.c) $(wildcard base/*.c))
	$(link_for_host)

# Does a small program end, under each of five models of progress? (docs/progress.md)
PROGRESS := $(addprefix check/progress/,parse.c files.c)
PROGRESS_SOURCES := $(wildcard check/progress/*.c)
CHECK_PROGRESS := $(BUILD)/host/progress
$(CHECK_PROGRESS): $(patsubst %.c,$(BUILD)/host/obj/%.o,$(PROGRESS_SOURCES) $(wildcard base/*.c))
	$(link_for_host)
$(BUILD)/host/obj/check/progress/main.o: $(BUILD)/revision.h

CHECK_HEADER := $(BUILD)/machine/precompiled/gpusync/cuda.h.gch
$(CHECK_HEADER): scripts/gpusync-check $(wildcard check/include/gpusync/*.h machine/*.h machine/*/*.h)
	@echo "  CXX $@"
	$(Q)BUILD='$(abspath $(BUILD))' CXX='$(CXX)' scripts/gpusync-check --precompile

# FILE is the program, ARGS are its arguments, CHECK the options of gpusync-check.
.PHONY: check check-tool
check-tool: $(CHECK_LIBRARY) $(CHECK_REWRITE) $(CHECK_PROGRESS) $(CHECK_HEADER)
check: check-tool
	@[ -n '$(FILE)' ] || { echo 'make check FILE=kernel.cu [ARGS="..."] [CHECK="--runs 100"]: which file?' >&2; exit 2; }
	@scripts/gpusync-check $(CHECK) '$(FILE)' -- $(ARGS)
