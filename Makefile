# gpusync: synchronization and communication inside a GPU. `make help` says what there is to do.

# make V=1 shows the commands.
Q := $(if $(V),,@)
NVCC ?= nvcc
# make has defaults of its own for these two, which count as not chosen.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
# As many jobs as there are processors, unless JOBS says otherwise.
JOBS ?= $(shell nproc)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(JOBS)
endif
# native (the GPU that is here), or a list like "sm_80 sm_90"; without a GPU, those of this list that nvcc knows, and PTX
# of the newest.
ALL_ARCHS ?= sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120
# What the tests compile for where there is no GPU: the oldest, and one that has all of the code; the newest takes twice as
# long.
TEST_ARCHS ?= sm_75 sm_90
ARCH ?= $(if $(HAS_GPU),native,$(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),$(ALL_ARCHS)))
CJSON_CFLAGS ?=
CJSON_LIBS ?= -lcjson
Z_LIBS ?= -lz
BOOST_CONTEXT_LIBS ?= -lboost_context
CAPSTONE_LIBS ?= -lcapstone
MACHINE_LIBS = $(CJSON_LIBS) $(Z_LIBS) $(BOOST_CONTEXT_LIBS) $(CAPSTONE_LIBS)
EXPERIMENTS ?= micro fft swat bitonic nw pairhmm sum
HAS_GPU := $(shell nvidia-smi -L 2>/dev/null | grep -q GPU && echo yes)
RESULTS ?= results

# MPI's flags are those of its compiler mpicc, or pkg-config's; of MPI_HOME alone, where that is set.
MPI_HOME ?=
MPI_FLAGS := $(shell { $(if $(MPI_HOME),$(MPI_HOME)/bin/mpicc -show,mpicc -show || pkg-config --cflags --libs ompi); } 2>/dev/null)
MPI_CFLAGS ?= $(filter -I%,$(MPI_FLAGS))
MPI_LIBS ?= $(strip $(filter -L% -l%,$(MPI_FLAGS)) $(patsubst -L%,-Xlinker -rpath=%,$(filter -L%,$(MPI_FLAGS))))

BUILD ?= build
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(shell command -v $(NVCC) 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
# -O3: the sequential references are what speedups are against.
C_FLAGS := -std=gnu11 -O3 -g -I. -I$(BUILD) $(WARNINGS) $(CJSON_CFLAGS) $(EXTRA_CFLAGS)
# The kernels' accesses are announced by the sanitizer's instrumentation; machine/cuda/hooks.c takes the calls. Copies
# of code for some threads of a warp would tear it apart, as no compiler for GPUs does: hence -fno-thread-jumps and what
# follows it. -O3 unrolls as nvcc does, so that about as many instructions are counted (machine/code/instructions.h); jump
# tables would hide from the machine where control goes (machine/code/kernel_code.h).
MACHINE_FLAGS := -DGPUSYNC_MACHINE
MACHINE_CU_FLAGS := -x c++ -std=c++20 -O3 -g1 -I. -I$(BUILD) $(WARNINGS) $(CJSON_CFLAGS) $(MACHINE_FLAGS) \
  -Wno-missing-field-initializers -Wno-maybe-uninitialized -fno-exceptions -fno-rtti -fno-thread-jumps \
  -fno-tree-vectorize -fno-unswitch-loops -fno-split-loops -fno-split-paths -fno-ipa-cp-clone -fsanitize=thread --param tsan-distinguish-volatile=1 \
  -fno-jump-tables -fsanitize-coverage=trace-pc --param tsan-instrument-func-entry-exit=0
comma := ,
NEWEST_ARCH = $(lastword $(ARCH))
GPU_ARCH_FLAGS = $(if $(filter native,$(ARCH)),-arch=native,\
  $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%)$(comma)code=$(a)) \
  $(if $(word 2,$(ARCH)),-gencode arch=$(NEWEST_ARCH:sm_%=compute_%)$(comma)code=$(NEWEST_ARCH:sm_%=compute_%)))
NVCC_OPTIMIZES := -O3 -lineinfo
NVCC_FLAGS = -std=c++20 $(NVCC_OPTIMIZES) -I. -I$(BUILD) $(CJSON_CFLAGS) $(GPU_ARCH_FLAGS) \
  -Xcompiler -Wall,-Wextra,-Wshadow,-Wno-missing-field-initializers,-Werror -Werror all-warnings

HARNESS := $(patsubst %.c,%,$(wildcard base/*.c harness/*.c))
GPU_HARNESS := $(wildcard harness/*.cu)
MACHINE := $(patsubst %.c,%,$(wildcard machine/*.c machine/*/*.c)) machine/presets
MEMORY_MODEL := $(addprefix machine/weak/,memory_model.c release.c view.c history.c)

# ---- rooms: the folders of experiments. What a room.mk says: ----
#
#     PROGRAMS += NAME              what is built in it
#     SOURCES_NAME := ...           the .cu of the program first
#     LIBS_NAME, GPU_LIBS_NAME      what it is linked with, on both devices or on GPUs alone
#     LONG_TO_COMPILE += ...        .cu files that tests compile for one architecture alone
#
# $(ROOM) is its folder, with a slash behind it.

PROGRAMS :=
LONG_TO_COMPILE :=
$(foreach room,$(wildcard */room.mk */*/room.mk),$(eval ROOM := $(dir $(room)))$(eval include $(room)))
# Those first that take the compiler longest, so that no processor waits for the last one.
FIRST := fft pairhmm sum bitonic swat-batch micro-megakernel micro-dependency
PROGRAMS := $(FIRST) $(filter-out $(FIRST),$(PROGRAMS))

# Compiled to be measured, or in tests without a GPU to see that it compiles: then little is optimized, what takes the
# compiler longest is compiled for one architecture alone, and cooperative groups do without libcu++, which takes three of
# the five seconds of a small program.
BUILT_FOR := $(ARCH)$(if $(ALONE), in tests)
ifdef ALONE
NVCC_OPTIMIZES := -O0 -Xcicc -O1 -Xptxas -O0 -D_CG_LIMIT_INCLUDED_DEPENDENCIES
$(LONG_TO_COMPILE:%=$(BUILD)/gpu/obj/%.cu.o): ARCH := $(ALONE)
$(BUILD)/gpu/obj/%.o: C_FLAGS := $(subst -O3,-O1,$(C_FLAGS))
endif

.PHONY: fidelity check-barrier all deps gpu machine report left-out run figures compare tables claims documents bench mutants fuzz test test-gpu install dist clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

help:
	@echo 'make all       build every program for the memory machine and, where nvcc and a GPU are, for that'
	@echo 'make run       measure the GPU that is here (or run on the memory machine), then draw the figures'
	@echo '               EXPERIMENTS="micro fft" chooses; KIND=machine runs on the machine although there is a GPU,'
	@echo '               DEVICE=gtx570 on another machine than gtx280; QUICK=1 the headline in half a minute;'
	@echo '               FULL=1 on the machine also problems as large as the papers'"'"' (minutes more)'
	@echo 'make figures   draw the figures of all results; RESULT_DIRS=results/DEVICE of one'
	@echo 'make tables    the tables of one device beside the papers: DEVICE_RESULTS=results/DEVICE'
	@echo 'make claims    what the papers claim, and whether it holds on each device with results'
	@echo 'make fidelity  how far the memory machine'"'"'s predictions of a GPU are from what was measured on it'
	@echo 'make documents computes the numbers and tables of README.md and docs/ from results/'
	@echo 'make compare   your results beside the committed ones of the nearest device;'
	@echo '               A=results/DEVICE B=results/DEVICE how two devices differ'
	@echo 'make test      install what is missing, build everything, run all tests (no GPU needed)'
	@echo 'make check-barrier BARRIER=my_barrier.cuh TYPE=MyBarrier    is your grid barrier right? No GPU needed'
	@echo 'make mutants   plants mistakes, which the tests must find (takes long); LINES=1-20 of the list'
	@echo 'make fuzz      every parser reads random inputs, FUZZ_SECONDS=60 each (needs clang)'
	@echo 'make test-gpu  the tests that need a GPU'
	@echo 'make bench     how fast the memory machine itself is'
	@echo 'make deps      install what is missing; SUDO=1 lets it use sudo'
	@echo 'make gpu       GPU programs for the GPU that is here, else for all (sm_75 to sm_120 and PTX: long);'
	@echo '               ARCH=sm_90 for one architecture'
	@echo 'make machine   programs for the memory machine only'
	@echo 'make install   what is built, the headers of sync/, for pkg-config and CMake, into PREFIX=/usr/local; DESTDIR'
	@echo 'make dist      a tarball of the tracked files'
	@echo 'make clean     remove what was built and drawn'

all: machine report $(if $(and $(HAS_GPU),$(CUDA_HOME)),gpu)

deps:
	@CC='$(CC)' CXX='$(CXX)' CJSON_CFLAGS='$(CJSON_CFLAGS)' BOOST_CONTEXT_LIBS='$(BOOST_CONTEXT_LIBS)' CAPSTONE_LIBS='$(CAPSTONE_LIBS)' SUDO='$(SUDO)' scripts/deps build

machine: $(PROGRAMS:%=$(BUILD)/machine/%) | left-out
report: $(BUILD)/report
gpu: $(PROGRAMS:%=$(BUILD)/gpu/%) | left-out

# Libraries across GPUs are used where they are found; none is installed.
left-out:
	@$(if $(MPI_LIBS),:,echo '  without MPI (no mpicc, no MPI_HOME): no micro-multi-node')
ifneq ($(CUDA_HOME),)
	@$(if $(NCCL_HOME),:,echo '  without NCCL (no NCCL_HOME, no wheel nvidia-nccl): no variant nccl')
	@$(if $(MPI_LIBS),$(if $(NVSHMEM_HOME),:,echo '  without NVSHMEM (no NVSHMEM_HOME, no wheel nvidia-nvshmem): no variant nvshmem'),:)
endif

# Programs are built for the device that is measured. The worst exit status of the programs, tables and figures is
# make's failure, after everything that can be drawn has been.
RUN := scripts/run $(if $(KIND),--kind $(KIND)) $(if $(DEVICE),--device $(DEVICE)) $(if $(QUICK),--quick) $(if $(FULL),--full)
NEEDED_TO_RUN := $(if $(filter machine,$(if $(DEVICE),machine,$(KIND))),machine,$(if $(and $(HAS_GPU),$(CUDA_HOME)),gpu,machine))
run: deps
	@$(MAKE) --no-print-directory $(NEEDED_TO_RUN) report
	@$(RUN) --results $(RESULTS) $(EXPERIMENTS); status=$$?; [ $$status -ne 2 ] || exit 2; \
	folder="$$(cat $(RESULTS)/.last)"; \
	$(MAKE) --no-print-directory -s tables DEVICE_RESULTS="$$folder" || status=1; \
	if scripts/deps figures; then $(BUILD)/report figures "$$folder" || status=1; \
	else echo 'run: the results are written; make figures draws them where gnuplot is'; fi; exit $$status

# Those tables that a folder has the results for.
DEVICE_RESULTS ?= $(shell cat $(RESULTS)/.last 2>/dev/null)
tables: report
	@[ ! -f '$(DEVICE_RESULTS)/micro-barrier.json' ] || $(BUILD)/report micro '$(DEVICE_RESULTS)'
	@[ ! -f '$(DEVICE_RESULTS)/fft.json' ] || { echo; $(BUILD)/report steps '$(DEVICE_RESULTS)'; }

# Every claim on every device; and the documents' numbers and tables, from the results.
claims: report
	@for folder in $(RESULT_DIRS); do echo; echo "$$folder"; $(BUILD)/report claims "$$folder"; done
	@echo; $(BUILD)/report claims-matrix text $(RESULT_DIRS)
documents: report
	@scripts/deps figures
	@set -e; for document in README.md docs/*.md; do \
	  $(BUILD)/report fill $$document >$(BUILD)/document && { cmp -s $(BUILD)/document $$document || cp $(BUILD)/document $$document; }; done
	@set -e; for device in $$(grep -v '^#' docs/drawings.txt | cut -d ' ' -f 2 | sort -u); do \
	  $(BUILD)/report figures results/reference/$$device >/dev/null; done
	@grep -v '^#' docs/drawings.txt | while read -r file device figure; do \
	  cp "plots/reference/$$device/$$figure.svg" "docs/$$file.svg" || exit; done

# Of every device that scripts/predict has made predictions of.
fidelity: report
	@for folder in $(patsubst %/predicted/,%,$(wildcard $(RESULTS)/*/predicted/ $(RESULTS)/reference/*/predicted/)); do \
	  echo; echo "$$folder"; $(BUILD)/report fidelity "$$folder" || exit; \
	  ! scripts/deps figures || $(BUILD)/report figures "$$folder"; done

RESULT_DIRS ?= $(filter-out %/papers %/reference,$(patsubst %/,%,$(wildcard $(RESULTS)/*/ $(RESULTS)/reference/*/)))
figures: report
	@scripts/deps figures
	@$(BUILD)/report figures $(RESULT_DIRS)

# Without A and B: what was measured here last beside the committed results of the nearest device.
compare: report
	@$(BUILD)/report compare $(if $(A),'$(A)') "$(or $(B),$$(cat $(RESULTS)/.last))"

# What make itself made: build/, and the folders of plots/ that its page or data lie in.
clean:
	rm -rf $(BUILD) $(patsubst %/,%,$(dir $(wildcard plots/*/index.html plots/compare-*/*.set))) plots/index.html

# ---- install, dist ----

VERSION := $(shell cat VERSION)
PREFIX ?= /usr/local
TO = $(DESTDIR)$(PREFIX)
# sync/ is a folder of include/gpusync, so that its headers are included as in the tree. Programs have the suite's name
# before their own: sum is also one of every system.
install:
	@mkdir -p '$(TO)/bin' '$(TO)/include/gpusync/sync' '$(TO)/lib/pkgconfig' '$(TO)/lib/cmake/gpusync' \
	  '$(TO)/share/gpusync/plots' '$(TO)/share/gpusync/results' '$(TO)/share/doc/gpusync'
	@for built in $(BUILD)/report $(PROGRAMS:%=$(BUILD)/gpu/%); do \
	  [ ! -f "$$built" ] || install "$$built" "$(TO)/bin/gpusync-$${built##*/}" || exit; done
	@for built in $(PROGRAMS:%=$(BUILD)/machine/%); do \
	  [ ! -f "$$built" ] || install "$$built" "$(TO)/bin/gpusync-machine-$${built##*/}" || exit; done
	@install -m 644 sync/* '$(TO)/include/gpusync/sync'
	@sed 's/@VERSION@/$(VERSION)/' scripts/package/gpusync.pc >'$(TO)/lib/pkgconfig/gpusync.pc'
	@for file in gpusyncConfig gpusyncConfigVersion; do \
	  sed 's/@VERSION@/$(VERSION)/' scripts/package/$$file.cmake >"$(TO)/lib/cmake/gpusync/$$file.cmake" || exit; done
	@install -m 644 plots/*.gp '$(TO)/share/gpusync/plots'
	@cp -R results/papers results/reference '$(TO)/share/gpusync/results'
	@install -m 644 LICENSE README.md CHANGELOG.md '$(TO)/share/doc/gpusync'
	@echo 'installed in $(TO)'

# The revision is in it, as a file, for the programs that are built from it.
DIST := gpusync-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	@git rev-parse --short=12 HEAD >$(BUILD)/REVISION
	@git archive --prefix=$(DIST)/ --add-file=$(BUILD)/REVISION HEAD | gzip -n -9 >$(BUILD)/dist.temporary
	@mv $(BUILD)/dist.temporary $(DIST).tar.gz
	@echo '$(DIST).tar.gz, of revision '"$$(cat $(BUILD)/REVISION)"

# ---- objects ----

$(BUILD)/revision.h: FORCE
	@scripts/write-revision $@
FORCE:

$(BUILD)/presets.c: machine/presets.h $(wildcard machine/presets/*.json) scripts/embed-presets
	@mkdir -p $(@D)
	$(Q)scripts/embed-presets $(wildcard machine/presets/*.json) >$@

$(BUILD)/machine/obj/machine/presets.o: $(BUILD)/presets.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -c $< -o $@

$(BUILD)/machine/obj/%.o: %.c $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/machine/obj/%.cu.o: %.cu
	@mkdir -p $(@D)
	@echo "  CXX $@"
	$(Q)$(CXX) $(MACHINE_CU_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/gpu/obj/%.o: %.c $(BUILD)/revision.h $(BUILD)/gpu/obj/arch
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -isystem $(CUDA_HOME)/include -MMD -MP -c $< -o $@

# Remembers what the GPU programs were built for, so that another ARCH builds them again.
$(BUILD)/gpu/obj/arch: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILT_FOR)' | cmp -s - $@ || echo '$(BUILT_FOR)' >$@

$(BUILD)/gpu/obj/%.cu.o: %.cu $(BUILD)/gpu/obj/arch
	@mkdir -p $(@D)
	@echo "  NVCC $@"
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MP -c $< -o $@

# ---- programs ----

define PROGRAM
$(BUILD)/machine/$(1): $(patsubst %,$(BUILD)/machine/obj/%.o,$(SOURCES_$(1):.c=) $(HARNESS) $(MACHINE))
	@echo "  CXX $$@"
	$$(Q)$$(CXX) -o $$@ $$^ $$(MACHINE_LIBS) $$(LIBS_$(1)) -lm
$(BUILD)/gpu/$(1): $(patsubst %,$(BUILD)/gpu/obj/%.o,$(SOURCES_$(1):.c=) $(HARNESS) $(GPU_HARNESS))
	@echo "  NVCC $$@"
	$$(Q)$$(NVCC) $$(GPU_ARCH_FLAGS) -o $$@ $$^ $$(CJSON_LIBS) $$(Z_LIBS) $$(LIBS_$(1)) $$(GPU_LIBS_$(1)) -lm
endef
$(foreach p,$(PROGRAMS),$(eval $(call PROGRAM,$(p))))

# ---- what reads results: host code with cJSON, tested under sanitizers ----

REPORT_SOURCES := $(wildcard report/*.c) $(wildcard base/*.c) harness/methods.c
$(BUILD)/report: $(REPORT_SOURCES:%.c=$(BUILD)/host/obj/%.o)
	@echo "  CC $@"
	$(Q)$(CC) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) -lm
$(BUILD)/host/obj/report/main.o: $(BUILD)/revision.h
$(BUILD)/host/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -MMD -MP -c $< -o $@

# ---- examples: they include only sync/ ----

EXAMPLES := $(patsubst examples/%.cu,%,$(wildcard examples/*.cu))
# With the contract of sync/ checked.
$(BUILD)/machine/obj/examples/%.cu.o: MACHINE_CU_FLAGS += -DGPUSYNC_CHECKED
define EXAMPLE
$(BUILD)/machine/examples/$(1): $(patsubst %,$(BUILD)/machine/obj/%.o,examples/$(1).cu $(MACHINE) $(patsubst %.c,%,$(wildcard base/*.c)))
	@mkdir -p $$(@D)
	@echo "  CXX $$@"
	$$(Q)$$(CXX) -o $$@ $$^ $$(MACHINE_LIBS) -lm
$(BUILD)/gpu/examples/$(1): $(BUILD)/gpu/obj/examples/$(1).cu.o
	@mkdir -p $$(@D)
	@echo "  NVCC $$@"
	$$(Q)$$(NVCC) $$(GPU_ARCH_FLAGS) -o $$@ $$^
endef
$(foreach e,$(EXAMPLES),$(eval $(call EXAMPLE,$(e))))

# A barrier of yours: BARRIER is its header, TYPE its name in there. It may be a copy of one of sync/, whose includes are
# sought there.
CHECKED := $(BUILD)/machine/examples/checked-barrier
check-barrier: $(patsubst %,$(BUILD)/machine/obj/%.o,$(MACHINE) $(patsubst %.c,%,$(wildcard base/*.c)))
	@mkdir -p $(dir $(CHECKED))
	$(Q)$(CXX) $(MACHINE_CU_FLAGS) -iquote sync -DGPUSYNC_CHECKED $(if $(BARRIER),-DBARRIER_FILE='"$(abspath $(BARRIER))"') \
	  $(if $(TYPE),-DBARRIER_TYPE='$(TYPE)') -c examples/check-my-barrier.cu -o $(CHECKED).o
	$(Q)$(CXX) -o $(CHECKED) $(CHECKED).o $^ $(MACHINE_LIBS) -lm
	@$(CHECKED)

# harness/main.c has no place in what has a main of its own.
TEST_HARNESS := $(filter-out harness/main,$(HARNESS))

# ---- the machine's own speed ----

$(BUILD)/machine/bench/machine: $(patsubst %,$(BUILD)/machine/obj/%.o,bench/machine.cu $(MACHINE) $(patsubst %.c,%,$(wildcard base/*.c)) harness/check)
	@mkdir -p $(@D)
	@echo "  CXX $@"
	$(Q)$(CXX) -o $@ $^ $(MACHINE_LIBS) -lm
# And what its weak memory costs.
$(BUILD)/machine/bench/weak_memory: $(patsubst %,$(BUILD)/machine/obj/%.o,bench/weak_memory.cu $(TEST_HARNESS) $(MACHINE))
	@mkdir -p $(@D)
	@echo "  CXX $@"
	$(Q)$(CXX) -o $@ $^ $(MACHINE_LIBS) -lm
bench: $(BUILD)/machine/bench/machine
	@$<

# ---- test programs: tests/NAME.cu on both devices, tests/NAME.c on the host with sanitizers ----

GPU_TESTS := $(patsubst tests/%.cu,%,$(filter-out tests/machine_%.cu,$(wildcard tests/*.cu)))
MACHINE_TESTS := $(patsubst tests/%.cu,%,$(wildcard tests/*.cu))
HOST_TESTS := $(patsubst tests/%.c,%,$(wildcard tests/*.c))
define TEST
$(BUILD)/machine/tests/$(1): $(patsubst %,$(BUILD)/machine/obj/%.o,tests/$(1).cu $(TEST_HARNESS) $(MACHINE))
	@mkdir -p $$(@D)
	@echo "  CXX $$@"
	$$(Q)$$(CXX) -o $$@ $$^ $$(MACHINE_LIBS) -lm
$(BUILD)/gpu/tests/$(1): $(patsubst %,$(BUILD)/gpu/obj/%.o,tests/$(1).cu $(TEST_HARNESS) $(GPU_HARNESS))
	@mkdir -p $$(@D)
	@echo "  NVCC $$@"
	$$(Q)$$(NVCC) $$(GPU_ARCH_FLAGS) -o $$@ $$^ $$(CJSON_LIBS) $$(Z_LIBS) -lm
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
TESTED_sum_plan := sum/phases.c
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
$(BUILD)/host/$(1): $(patsubst %.c,$(BUILD)/host/sanitized/%.o,tests/$(1).c $(TESTED) $(TESTED_$(1)))
	@echo "  CC $$@"
	$$(Q)$$(CC) $$(SANITIZE) -o $$@ $$^ $$(CJSON_LIBS) $$(Z_LIBS) $$(if $$(filter x86_code,$(1)),$$(CAPSTONE_LIBS)) -lm
endef
$(foreach t,$(HOST_TESTS),$(eval $(call HOST_TEST,$(t))))

# Every parser, for libFuzzer, and for gcc as the test that replays what was found. The linker sends the calls that
# end a program, or take what must be given back, to tests/fuzz/guard.c.
FUZZED := $(filter-out report/main.c,$(REPORT_SOURCES)) harness/options.c harness/result.c machine/description.c \
  align/sequences.c align/scoring.c swat/batch/gatk_tasks.c pairhmm/tasks.c \
  sum/numbers.c bitonic/keys.c fft/reference.c tests/fuzz/targets.c tests/fuzz/guard.c
FUZZ_FLAGS := -std=gnu11 -O1 -g -I. -I$(BUILD) -D_GNU_SOURCE $(MACHINE_FLAGS) $(CJSON_CFLAGS)
FUZZ_WRAPS := $(foreach f,exit malloc calloc realloc free gzopen gzclose fopen fclose opendir closedir,-Wl,--wrap=$(f))
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := fasta matrix tasks pairhmm numbers keys signal list number options machine journal result
$(BUILD)/host/fuzz-replay: $(patsubst %.c,$(BUILD)/host/sanitized/%.o,tests/fuzz/replay.c $(FUZZED))
	@echo "  CC $@"
	$(Q)$(CC) $(SANITIZE) $(FUZZ_WRAPS) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) -lm
$(BUILD)/host/fuzz-libfuzzer: tests/fuzz/libfuzzer.c $(FUZZED) tests/fuzz/fuzz.h | $(BUILD)/revision.h
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
TESTS := tests/algorithms/batches tests/figures tests/regressions tests/algorithms/pairhmm tests/algorithms/nw \
  tests/algorithms/tiles tests/algorithms/sum tests/cli tests/algorithms/steps tests/weak_memory tests/headers tests/known_device \
  "$(BUILD)/machine/tests/barriers h100" $(BUILD)/machine/tests/barriers tests/strangers tests/commands tests/algorithms/multi_gpu \
  tests/bounds $(BUILD)/host/report tests/algorithms/oracles tests/algorithms/refusals tests/skips tests/algorithms/multi_node tests/examples \
  tests/install $(filter-out %/barriers,$(MACHINE_TESTS:%=$(BUILD)/machine/tests/%)) \
  $(filter-out %/report,$(HOST_TESTS:%=$(BUILD)/host/%)) $(BUILD)/host/fuzz-replay
test: check-deps
	@$(MAKE) --no-print-directory $(if $(HAS_GPU),,ALL_ARCHS='$(TEST_ARCHS)' ALONE=sm_90) machine report machine-tests host-tests $(if $(CUDA_HOME),gpu gpu-tests)
	@tests/run $(TESTS)

# Not part of the tests: it takes an hour on two processors.
mutants:
	@scripts/mutants $(LINES)

test-gpu: gpu gpu-tests report $(ORACLES)
	@JOBS=1 tests/run $(GPU_TESTS:%=$(BUILD)/gpu/tests/%) "tests/examples gpu" $(patsubst %,"% gpu",$(wildcard tests/algorithms/*)) \
	  tests/machine_code "tests/skips gpu" "tests/commands gpu" tests/driver

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
