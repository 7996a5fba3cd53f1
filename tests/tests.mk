# Test programs: tests/NAME.cu on both devices, tests/NAME.c on the host with sanitizers.

GPU_TESTS := $(patsubst tests/%.cu,%,$(filter-out tests/machine_%.cu,$(wildcard tests/*.cu)))
MACHINE_TESTS := $(patsubst tests/%.cu,%,$(wildcard tests/*.cu))
HOST_TESTS := $(patsubst tests/%.c,%,$(wildcard tests/*.c))
TESTED_fft_runs := fft/reference.c
define TEST
$(BUILD)/machine/tests/$(1): $(call objects,machine,tests/$(1).cu $(TESTED_$(1)) $(TEST_HARNESS) $(MACHINE)); $$(link_for_machine)
$(BUILD)/gpu/tests/$(1): $(call objects,gpu,tests/$(1).cu $(TESTED_$(1)) $(TEST_HARNESS) $(GPU_HARNESS)); $$(link_for_gpu)
endef
$(foreach t,$(MACHINE_TESTS),$(eval $(call TEST,$(t))))

# The host's own code under AddressSanitizer and UndefinedBehaviorSanitizer; none of it touches a device.
# Behind -O3 of all C: the sanitizers' checks of what is inlined would take the compiler twice as long.
SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
TESTED := $(filter-out report/main.c,$(REPORT_SOURCES)) harness/result.c
TESTED_pairhmm_plan := pairhmm/plan.c pairhmm/blocked.c pairhmm/tasks.c pairhmm/reference.c
TESTED_sw_plan := swat/batch/plan.c swat/batch/blocked.c swat/batch/gatk_tasks.c
TESTED_memory_model := $(MEMORY_MODEL) $(LITMUS) micro/litmus/litmus_explore.c
TESTED_bitonic_plan := bitonic/passes.c
TESTED_sum_plan := sum/phases.c report/papers/listing.c
TESTED_sum_numbers := sum/numbers.c
TESTED_l1_cache := machine/weak/l1_cache.c
TESTED_alignments := align/cigar.c align/scoring.c align/sequences.c
TESTED_barrier_fits := micro/barrier/barrier_fits.c
TESTED_x86_code := machine/code/x86_code.c base/failure.c
$(BUILD)/host/sanitized/%.o: %.c | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) $(SANITIZE) -MMD -MP -c $< -o $@
define HOST_TEST
$(BUILD)/host/$(1): LINKED_WITH := $(SANITIZE)
$(BUILD)/host/$(1): LIBS := $(if $(filter x86_code,$(1)),$(CAPSTONE_LIBS))
$(BUILD)/host/$(1): $(patsubst %.c,$(BUILD)/host/sanitized/%.o,tests/$(1).c $(TESTED) $(TESTED_$(1))); $$(link_for_host)
endef
$(foreach t,$(HOST_TESTS),$(eval $(call HOST_TEST,$(t))))

# Every parser, for libFuzzer, and for gcc as the test that replays what was found. The linker sends the calls that
# end a program, or take what must be given back, to tests/fuzz/guard.c.
FUZZED := $(filter-out report/main.c,$(REPORT_SOURCES)) harness/options.c harness/result.c machine/description.c \
  align/sequences.c align/scoring.c swat/batch/gatk_tasks.c pairhmm/tasks.c \
  sum/numbers.c bitonic/keys.c fft/reference.c $(PROGRESS) tests/fuzz/targets.c tests/fuzz/guard.c
FUZZ_FLAGS := -std=gnu11 -O1 -g -I. -I$(BUILD) -D_GNU_SOURCE $(MACHINE_FLAGS) $(CJSON_CFLAGS)
FUZZ_WRAPS := $(foreach f,exit malloc calloc realloc free gzopen gzclose fopen fclose opendir closedir,-Wl,--wrap=$(f))
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := fasta matrix tasks pairhmm numbers keys signal list number options machine journal result progress
$(BUILD)/host/fuzz-replay: $(patsubst %.c,$(BUILD)/host/sanitized/%.o,tests/fuzz/replay.c $(FUZZED))
	$(link_for_host)
$(BUILD)/host/fuzz-replay: LINKED_WITH := $(SANITIZE) $(FUZZ_WRAPS)
$(BUILD)/host/fuzz-libfuzzer: tests/fuzz/libfuzzer.c $(FUZZED) tests/fuzz/fuzz.h | $(BUILD)/revision.h $(BUILD)/table_rows.h $(BUILD)/style_rows.h
	@mkdir -p $(@D)
	@echo "  CLANG $@"
	$(Q)clang $(FUZZ_FLAGS) $(FUZZ_WRAPS) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o $@ $(filter %.c,$^) \
	  $(CJSON_LIBS) $(Z_LIBS) -lm
# What is found is kept beside the build; a crash is an input for tests/fuzz/corpus.
fuzz: $(BUILD)/host/fuzz-libfuzzer
	@set -e; for target in $(FUZZ_TARGETS); do \
	  mkdir -p $(BUILD)/fuzz/$$target; echo "fuzz $$target for $(FUZZ_SECONDS) s"; \
	  FUZZ_TARGET=$$target $< -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -rss_limit_mb=4000 -timeout=10 \
	    -close_fd_mask=1 -verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/$$target- \
	    $(BUILD)/fuzz/$$target tests/fuzz/corpus/$$target; done

# Programs that judge answers by other people's libraries.
ORACLES := $(patsubst tests/oracles/%.c,$(BUILD)/host/oracles/%,$(wildcard tests/oracles/*.c))
ORACLE_LIBS_fft := -lfftw3
ORACLE_LIBS_alignment := -lparasail
$(BUILD)/host/oracles/%: tests/oracles/%.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -Wno-conversion -D_GNU_SOURCE -o $@ $< $(ORACLE_LIBS_$*) -lm

.PHONY: machine-tests gpu-tests host-tests check-deps
machine-tests: $(MACHINE_TESTS:%=$(BUILD)/machine/tests/%) $(EXAMPLES:%=$(BUILD)/machine/examples/%) $(BUILD)/machine/bench/machine
gpu-tests: $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) $(EXAMPLES:%=$(BUILD)/gpu/examples/%)
host-tests: $(HOST_TESTS:%=$(BUILD)/host/%) $(BUILD)/host/fuzz-replay $(ORACLES)

check-deps: deps
	@scripts/deps figures
	@scripts/deps check

# Everything that needs no GPU. A second make, so that what was just installed is seen. Each test is a file that
# runs alone too; the longest are first.
TESTS := tests/gpusync_check tests/weak_memory tests/algorithms/batches tests/figures tests/regressions tests/algorithms/pairhmm tests/algorithms/nw \
  tests/algorithms/tiles tests/algorithms/decode tests/algorithms/sum tests/cli tests/algorithms/steps tests/headers tests/known_device \
  "$(BUILD)/machine/tests/barriers h100" $(BUILD)/machine/tests/barriers tests/strangers tests/commands tests/algorithms/multi_gpu tests/algorithms/all_reduce \
  tests/bounds tests/progress tests/statements tests/robustness $(BUILD)/host/report tests/algorithms/oracles tests/algorithms/progress tests/algorithms/refusals tests/skips tests/algorithms/multi_node tests/examples \
  tests/install $(filter-out %/barriers,$(MACHINE_TESTS:%=$(BUILD)/machine/tests/%)) \
  $(filter-out %/report,$(HOST_TESTS:%=$(BUILD)/host/%)) $(BUILD)/host/fuzz-replay
test: check-deps
	@$(MAKE) --no-print-directory $(if $(HAS_GPU),,ALL_ARCHS='$(TEST_ARCHS)' ALONE=sm_90) machine report machine-tests host-tests check-tool $(if $(CUDA_HOME),gpu gpu-tests)
	@tests/run $(TESTS)

# Not part of the tests: it takes an hour on two processors.
mutants:
	@scripts/mutants $(ROOM)

test-gpu: gpu gpu-tests report $(ORACLES)
	@JOBS=1 tests/run $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) "tests/examples gpu" $(patsubst %,"% gpu",$(wildcard tests/algorithms/*)) \
	  tests/machine_code "tests/skips gpu" "tests/commands gpu" tests/driver

