# Test programs: tests/NAME.cu on both devices, tests/NAME.c on the host with sanitizers.

GPU_TESTS := $(patsubst tests/%.cu,%,$(filter-out tests/machine_%.cu,$(wildcard tests/*.cu)))
MACHINE_TESTS := $(patsubst tests/%.cu,%,$(wildcard tests/*.cu))
HOST_TESTS := $(patsubst tests/%.c,%,$(wildcard tests/*.c))
define TEST
$(BUILD)/machine/tests/$(1): $(call objects,machine,tests/$(1).cu $(TESTED_$(1)) $(TEST_HARNESS) $(MACHINE)); $$(link_for_machine)
$(BUILD)/gpu/tests/$(1): $(call objects,gpu,tests/$(1).cu $(TESTED_$(1)) $(TEST_HARNESS) $(GPU_HARNESS)); $$(link_for_gpu)
endef
$(foreach t,$(MACHINE_TESTS),$(eval $(call TEST,$(t))))
# The machine's own tests launch function objects (tests/machine_of_card.cuh).
$(BUILD)/machine/obj/tests/machine_%.cu.o: PTX_FLAGS += --extended-lambda

# Host code is tested under AddressSanitizer and UndefinedBehaviorSanitizer. -O1 overrides -O3, because the
# checks of inlined code would take the compiler twice as long.
SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
$(BUILD)/host/sanitized/%.o: %.c | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) $(SANITIZE) -MMD -MP -c $< -o $@
define HOST_TEST
$(BUILD)/host/$(1): LINKED_WITH := $(SANITIZE)
$(BUILD)/host/$(1): LIBS := $(LIBS_$(1))
$(BUILD)/host/$(1): $(patsubst %.c,$(BUILD)/host/sanitized/%.o,$(sort tests/$(1).c $(BASE) $(TESTED_$(1)))); $$(link_for_host)
endef
$(foreach t,$(HOST_TESTS),$(eval $(call HOST_TEST,$(t))))

# libFuzzer calls every parser with random inputs; fuzz-replay is a test that repeats the inputs which it
# found.
FUZZED := $(filter-out report/main.c,$(REPORT_SOURCES)) harness/options.c harness/result.c machine/description.c \
  align/sequences.c align/scoring.c swat/batch/gatk_tasks.c pairhmm/tasks.c \
  sum/numbers.c bitonic/keys.c fft/reference.c micro/progress/parse.c micro/progress/files.c \
  $(addprefix machine/ptx/,reader.c module.c module_text.c body.c) tests/fuzz/targets.c
FUZZ_FLAGS := -std=gnu11 -O1 -g -I. -I$(BUILD) -D_GNU_SOURCE $(MACHINE_FLAGS) $(CJSON_CFLAGS)
FUZZ_TARGETS := fasta matrix tasks pairhmm numbers keys signal list number options machine journal result progress ptx
$(BUILD)/host/fuzz-replay: $(patsubst %.c,$(BUILD)/host/sanitized/%.o,tests/fuzz/replay.c $(FUZZED))
	$(link_for_host)
$(BUILD)/host/fuzz-replay: LINKED_WITH := $(SANITIZE)
$(BUILD)/host/fuzz-libfuzzer: tests/fuzz/libfuzzer.c $(FUZZED) tests/fuzz/fuzz.h | $(BUILD)/revision.h $(BUILD)/table_rows.h $(BUILD)/style_rows.h
	@mkdir -p $(@D)
	@echo "  CLANG $@"
	$(Q)clang $(FUZZ_FLAGS) -Wl,--wrap=exit -fsanitize=fuzzer,address,undefined -fno-sanitize=pointer-overflow -fno-sanitize-recover=all -o $@ $(filter %.c,$^) \
	  $(CJSON_LIBS) $(Z_LIBS) -lm
# New inputs are kept in build/fuzz. An input that crashes a parser belongs in tests/fuzz/corpus.
fuzz: $(BUILD)/host/fuzz-libfuzzer
	@set -e; for target in $(FUZZ_TARGETS); do \
	  mkdir -p $(BUILD)/fuzz/$$target; echo "fuzz $$target for $${T:-60} s"; \
	  ASAN_OPTIONS=detect_leaks=0 FUZZ_TARGET=$$target $< -max_total_time="$${T:-60}" -max_len=4096 -rss_limit_mb=4000 -timeout=10 \
	    -close_fd_mask=1 -verbosity=0 -fork=1 -ignore_timeouts=0 -artifact_prefix=$(BUILD)/fuzz/$$target- \
	    $(BUILD)/fuzz/$$target tests/fuzz/corpus/$$target; done

# Oracles are programs that judge answers with libraries of other projects.
ORACLES := $(patsubst tests/oracles/%.c,$(BUILD)/host/oracles/%,$(wildcard tests/oracles/*.c))
ORACLE_LIBS_fft := -lfftw3
ORACLE_LIBS_alignment := -lparasail
$(BUILD)/host/oracles/%: tests/oracles/%.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -Wno-conversion -D_GNU_SOURCE -o $@ $< $(ORACLE_LIBS_$*) -lm

.PHONY: machine-tests gpu-tests host-tests
machine-tests: $(MACHINE_TESTS:%=$(BUILD)/machine/tests/%) $(EXAMPLES:%=$(BUILD)/machine/examples/%) \
  $(BUILD)/machine/bench/machine
gpu-tests: $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) $(EXAMPLES:%=$(BUILD)/gpu/examples/%)
host-tests: $(HOST_TESTS:%=$(BUILD)/host/%) $(BUILD)/host/fuzz-replay $(ORACLES)

# Runs the tests that need no GPU. The programs are built by a second make with its own ALONE. Of the tests in
# DRAWN_TESTS, each of which takes a quarter of a minute or more, only an eighth is run, and of the programs for GPUs
# only a tenth is compiled; the commit decides which. FULL=1 takes all of them. tests/run starts with the tests that
# took longest the last time. (tests/stale draws its points itself.)
DRAWN_TESTS := $(filter-out tests/stale,$(ALL_SLOW_TESTS)) $(addprefix tests/,check_reports check_survives install \
  misuse report_cli) $(filter tests/algorithms/%,$(ALL_TESTS))
FOR_GPUS = $(PROGRAMS:%=$(BUILD)/gpu/%) $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) $(EXAMPLES:%=$(BUILD)/gpu/examples/%)
test:
	@$(MAKE) --no-print-directory $(if $(HAS_GPU),,ALL_ARCHS='$(TEST_ARCHS)' ALONE=sm_90) \
	  machine report machine-tests host-tests check-tool \
	  $(if $(CUDA_HOME),$(if $(HAS_GPU),$(FOR_GPUS),$$(scripts/drawn 10 $(FOR_GPUS))))
	@tests/run $(filter-out $(DRAWN_TESTS),$(ALL_SLOW_TESTS)) $$(scripts/drawn 8 $(DRAWN_TESTS)) \
	  $(filter-out $(DRAWN_TESTS),$(ALL_TESTS))

# Builds and tests one room, which is a folder with its tests, or several.
room: $(ROOM_TARGETS)
	@tests/run $(ROOM_TESTS)

# Prints, for scripts/draw-mutants, one line with the targets of a room, then its quick tests, an empty line
# and its slow tests.
room-tests:
	@echo '$(ROOM_TARGETS)'
	@printf '%s\n' $(ROOM_TESTS) '' $(call of_room,SLOW_TESTS)

# Prints every test of every room, for tests/lint.
test-names:
	@printf '%s\n' $(ALL_SLOW_TESTS) $(ALL_TESTS)

# Tests the code of the machine and of gpusync-check under AddressSanitizer and UndefinedBehaviorSanitizer.
# Kernels are compiled as always, because the machine takes the place of a sanitizer's runtime in them. The
# sanitizers do not search for leaks, because the programs that are checked leak.
SANITIZED := $(BUILD)/sanitized/machine/tests
test-sanitized:
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/sanitized' EXTRA_CFLAGS='$(SANITIZE)' LINKED_WITH='$(SANITIZE)' machine-tests check-tool
	@tests/run $(addprefix $(SANITIZED)/,machine_model machine_streams machine_time machine_joins machine_fermi barriers \
	  arrivals contracts all_reduce redo) "$(SANITIZED)/machine_weak 2 2 5" "$(SANITIZED)/barriers h100"
	@BUILD='$(BUILD)/sanitized' LINKED_WITH='$(SANITIZE)' ASAN_OPTIONS=detect_leaks=0 tests/run tests/gpusync_check

# Draws N mistakes in each of the rooms ROOM (all rooms without ROOM) from the seed SEED, and plants them. After T
# seconds no further mistake is planted. With QUICK=1 only the rooms' quick tests are run.
mutate:
	@scripts/draw-mutants $(if $(ROOM),--rooms "$$ROOM") --count "$${N:-20}" --seed "$${SEED:-1}" \
	  --jobs "$$JOBS" $(if $(T),--seconds "$$T") $(if $(QUICK),--quick) \
	  $(if $(wildcard $(BUILD)/durations),--durations '$(BUILD)/durations')

GPU_TEST_SCRIPTS := $(wildcard tests/algorithms/*) tests/ptx_answers tests/examples tests/skips tests/commands tests/bench_own
test-gpu: gpu gpu-tests report $(ORACLES)
	@JOBS=1 tests/run $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) $(patsubst %,"% gpu",$(GPU_TEST_SCRIPTS)) \
	  tests/machine_code tests/driver
