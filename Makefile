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

BUILD ?= build
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(shell command -v $(NVCC) 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
# -O3: the sequential references are what speedups are against.
C_FLAGS := -std=gnu11 -O3 -g -I. -I$(BUILD) $(WARNINGS) $(CJSON_CFLAGS) $(EXTRA_CFLAGS)
# -O3 unrolls as nvcc does, so that about as many instructions are counted (machine/code/instructions.h).
MACHINE_FLAGS := -DGPUSYNC_MACHINE
KERNEL_FLAGS := $(shell sed '/^\#/d' machine/kernel.flags)
MACHINE_CU_FLAGS := -x c++ -std=c++20 -O3 -I. -I$(BUILD) $(WARNINGS) $(CJSON_CFLAGS) $(KERNEL_FLAGS) \
  -Wno-missing-field-initializers -Wno-maybe-uninitialized -fno-exceptions -fno-rtti
comma := ,
NEWEST_ARCH = $(lastword $(ARCH))
GPU_ARCH_FLAGS = $(if $(filter native,$(ARCH)),-arch=native,\
  $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%)$(comma)code=$(a)) \
  $(if $(word 2,$(ARCH)),-gencode arch=$(NEWEST_ARCH:sm_%=compute_%)$(comma)code=$(NEWEST_ARCH:sm_%=compute_%)))
NVCC_OPTIMIZES := -O3 -lineinfo
NVCC_FLAGS = -std=c++20 $(NVCC_OPTIMIZES) -I. -I$(BUILD) $(CJSON_CFLAGS) $(GPU_ARCH_FLAGS) \
  -Xcompiler -Wall,-Wextra,-Wshadow,-Wno-missing-field-initializers,-Werror -Werror all-warnings

HARNESS := $(patsubst %.c,%,$(wildcard base/*.c harness/*.c))
# harness/main.c has no place in what has a main of its own.
TEST_HARNESS := $(filter-out harness/main,$(HARNESS))
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
SWEEPS := $(wildcard */sweeps.txt */*/sweeps.txt)
$(foreach room,$(wildcard */room.mk */*/room.mk),$(eval ROOM := $(dir $(room)))$(eval include $(room)))
# Those first that take the compiler longest, so that no processor waits for the last one.
FIRST := fft pairhmm sum bitonic swat-batch micro-megakernel micro-dependency
PROGRAMS := $(FIRST) $(filter-out $(FIRST),$(PROGRAMS))

# Compiled to be measured, or in tests without a GPU to see that it compiles: then little is optimized, what takes the
# compiler longest is compiled for one architecture alone, and cooperative groups do without libcu++, which takes three of
# the five seconds of a small program.
BUILT_FOR := $(ARCH)$(if $(ALONE), in tests)
ifdef ALONE
NVCC_OPTIMIZES := -O0 $(if $(shell $(NVCC) --help 2>/dev/null | grep Ofast-compile),-Ofc max,-Xcicc -O1 -Xptxas -O0) -D_CG_LIMIT_INCLUDED_DEPENDENCIES
$(LONG_TO_COMPILE:%=$(BUILD)/gpu/obj/%.cu.o): ARCH := $(ALONE)
$(BUILD)/gpu/obj/%.o: C_FLAGS := $(subst -O3,-O1,$(C_FLAGS))
endif

.PHONY: fidelity check-barrier all deps gpu machine report left-out run figures compare tables claims documents bench mutants fuzz test test-gpu install dist clean help FORCE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.SECONDARY:

help:
	@cat scripts/help.txt

all: machine report $(if $(and $(HAS_GPU),$(CUDA_HOME)),gpu)

deps:
	@CC='$(CC)' CXX='$(CXX)' CJSON_CFLAGS='$(CJSON_CFLAGS)' BOOST_CONTEXT_LIBS='$(BOOST_CONTEXT_LIBS)' CAPSTONE_LIBS='$(CAPSTONE_LIBS)' SUDO='$(SUDO)' scripts/deps build

machine: $(PROGRAMS:%=$(BUILD)/machine/%) | left-out
report: $(BUILD)/report
gpu: $(PROGRAMS:%=$(BUILD)/gpu/%) | left-out

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
# FILE FOLDER FIGURE of each drawing in docs/.
DRAWINGS = awk '$$1 == "device" { folder[$$2] = $$4 } $$1 == "drawing" { print $$2, folder[$$4], $$5 }' docs/numbers.txt
documents: report
	@scripts/deps figures
	@$(BUILD)/report documents
	@set -e; $(DRAWINGS) | cut -d ' ' -f 2 | sort -u | while read -r folder; do \
	  $(BUILD)/report figures results/reference/$$folder >/dev/null; done
	@$(DRAWINGS) | while read -r file folder figure; do \
	  cp "plots/reference/$$folder/$$figure.svg" "docs/$$file.svg" || exit; done

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

$(BUILD)/sweep_rows.h: $(SWEEPS) scripts/embed-sweeps
	@mkdir -p $(@D)
	$(Q)scripts/embed-sweeps $(SWEEPS) >$@
$(patsubst %,$(BUILD)/%/obj/harness/sweeps.o,machine gpu): $(BUILD)/sweep_rows.h

$(BUILD)/machine/obj/%.o: %.c $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/machine/obj/%.cu.o: %.cu machine/kernel.flags
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

# A program of what it depends on, for the machine, for GPUs and for the host alone.
define link_for_machine
@mkdir -p $(@D)
@echo "  CXX $@"
$(Q)$(CXX) -o $@ $^ $(MACHINE_LIBS) $(LIBS) -lm
endef
define link_for_gpu
@mkdir -p $(@D)
@echo "  NVCC $@"
$(Q)$(NVCC) $(GPU_ARCH_FLAGS) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) $(LIBS) -lm
endef
define link_for_host
@echo "  CC $@"
$(Q)$(CC) $(LINKED_WITH) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) $(LIBS) -lm
endef
objects = $(patsubst %,$(BUILD)/$(1)/obj/%.o,$(2:.c=))

define PROGRAM
$(BUILD)/machine/$(1): LIBS := $(LIBS_$(1))
$(BUILD)/machine/$(1): $(call objects,machine,$(SOURCES_$(1)) $(HARNESS) $(MACHINE)); $$(link_for_machine)
$(BUILD)/gpu/$(1): LIBS := $(LIBS_$(1)) $(GPU_LIBS_$(1))
$(BUILD)/gpu/$(1): $(call objects,gpu,$(SOURCES_$(1)) $(HARNESS) $(GPU_HARNESS)); $$(link_for_gpu)
endef
$(foreach p,$(PROGRAMS),$(eval $(call PROGRAM,$(p))))

# ---- what reads results: host code with cJSON, tested under sanitizers ----

REPORT_SOURCES := $(wildcard report/*.c report/papers/*.c) $(wildcard base/*.c) harness/methods.c
$(BUILD)/report: $(REPORT_SOURCES:%.c=$(BUILD)/host/obj/%.o); $(link_for_host)
$(BUILD)/host/obj/report/main.o: $(BUILD)/revision.h
$(patsubst %,$(BUILD)/host/%/report/rows.o,obj sanitized): $(BUILD)/table_rows.h
$(patsubst %,$(BUILD)/host/%/report/styles.o,obj sanitized): $(BUILD)/style_rows.h
$(BUILD)/style_rows.h: $(wildcard */tables.txt */*/tables.txt)
	@mkdir -p $(@D)
	$(Q)awk '$$1 == "style" { printf "{\"%s\", {\"%s\", %s}},\n", $$2, $$3, $$4 }' $^ >$@
$(BUILD)/table_rows.h: $(wildcard */tables.txt */*/tables.txt)
	@mkdir -p $(@D)
	$(Q)grep -hvE '^(#|style )' $^ | sed 's/[\\"]/\\&/g; s/.*/"&",/' >$@
$(BUILD)/host/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -MMD -MP -c $< -o $@

# ---- the rest, where it belongs ----

include check/check.mk examples/examples.mk bench/bench.mk tests/tests.mk scripts/package/install.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
