# gpusync: synchronization and communication inside a GPU. `make help` says what there is to do.

# The user's values of these variables are data: make does not expand them, and no shell evaluates them, because
# recipes read them from the environment ("$$DEVICE"). GIVEN has the variables of the command line.
GIVEN := $(foreach name,$(.VARIABLES),$(if $(findstring command line,$(origin $(name))),$(name)))
DATA := BUILD DESTDIR DEVICE EXPERIMENTS FULL JOBS KIND N PREFIX PROGRAM QUICK \
  RESULTS RESULT_DIRS ROOM SEED SLOW T V WHEELS
$(foreach name,$(DATA),$(if $(filter-out undefined default file override,$(firstword $(origin $(name)))),\
  $(eval override $(name) := $$(value $(name)))))
# Quotes a text for a shell that is not a recipe's.
quoted = '$(subst ','\'',$(1))'

# make V=1 shows the commands.
Q := $(if $(V),,@)
# make's own defaults of CC and CXX (cc and g++) are replaced, since the user did not choose them.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
# By default make runs one job for each processor; JOBS sets another number of jobs.
JOBS ?= $(shell nproc)
# BUILD is in most rules and JOBS in make's own options, so both are restricted to what is safe there.
UNSAFE := ' " ` $$ ; & | < > ( ) * ? [ ] { } ! ~ \ % : = \#
BUILD ?= build
ifneq ($(strip $(foreach c,$(UNSAFE),$(findstring $(c),$(BUILD)))$(filter -%,$(BUILD))$(word 2,$(BUILD))x$(lastword $(BUILD))),x$(BUILD))
$(error BUILD=$(BUILD): make cannot build in a folder whose name has blanks, begins with a hyphen, or has one of $(UNSAFE))
endif
ifneq ($(shell printf %s $(call quoted,$(JOBS)) | grep -xE '[1-9][0-9]{0,4}'),$(JOBS))
$(error JOBS=$(JOBS): it is the number of jobs, such as 2)
endif
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(JOBS)
endif
# ARCH says for which GPU architectures the programs are compiled. It is `native` (the GPU in this computer)
# or a list such as "sm_80 sm_90". Without a GPU the default is every architecture of ALL_ARCHS that nvcc
# knows; the programs then also contain PTX for the newest one.
ALL_ARCHS ?= sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120
# Without a GPU the tests compile for two architectures only: the oldest one, and one for which all code is
# enabled. The newest architecture is left out, because compiling for it takes twice as long.
TEST_ARCHS ?= sm_75 sm_90
ARCH ?= $(if $(HAS_GPU),native,$(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),$(ALL_ARCHS)))
CJSON_CFLAGS ?=
CJSON_LIBS ?= -lcjson
Z_LIBS ?= -lz
# Programs for the host first look for libraries in the folder lib beside them, which a wheel has
# (scripts/package/wheel).
BESIDE := -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
MACHINE_LIBS = $(CJSON_LIBS) $(Z_LIBS)
EXPERIMENTS ?= micro fft swat bitonic nw pairhmm sum
HAS_GPU := $(shell nvidia-smi -L 2>/dev/null | grep -q GPU && echo yes)
RESULTS ?= results

# nvcc is the one that NVCC or CUDA_HOME names, if the user sets one of them; otherwise it is searched in the
# usual places. If none is found, CUDA_HOME is empty. NVCC_PROBLEM says what is wrong with the nvcc that the
# user names.
FOUND_NVCC := $(shell $(if $(filter undefined default,$(origin NVCC)),,NVCC=$(call quoted,$(NVCC))) \
  $(if $(filter undefined,$(origin CUDA_HOME)),,CUDA_HOME=$(call quoted,$(CUDA_HOME))) scripts/find-nvcc 2>&1)
NVCC_PROBLEM := $(if $(filter 2,$(.SHELLSTATUS)),$(FOUND_NVCC))
ifneq ($(.SHELLSTATUS),0)
FOUND_NVCC :=
endif
NVCC := $(or $(FOUND_NVCC),nvcc)
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(FOUND_NVCC))

# With WERROR=1 a warning is an error. This is meant for those who change the suite; users' compilers may have
# other warnings.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror)
# C code is compiled with -O3, because speedups are relative to the time of the sequential references, which
# are written in C.
C_FLAGS := -std=gnu11 -O3 -g -I. -I$(BUILD) $(WARNINGS) $(CJSON_CFLAGS) $(EXTRA_CFLAGS)
MACHINE_FLAGS := -DGPUSYNC_MACHINE
comma := ,
NEWEST_ARCH = $(lastword $(ARCH))
GPU_ARCH_FLAGS = $(if $(filter native,$(ARCH)),-arch=native,\
  $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%)$(comma)code=$(a)) \
  $(if $(word 2,$(ARCH)),-gencode arch=$(NEWEST_ARCH:sm_%=compute_%)$(comma)code=$(NEWEST_ARCH:sm_%=compute_%)))
# nvcc optimizes the functions of one file on several processors where it can.
SPLIT_COMPILE := $(if $(shell $(NVCC) --help 2>/dev/null | grep -e --split-compile),-split-compile=0)
NVCC_OPTIMIZES := -O3 -lineinfo $(SPLIT_COMPILE)
NVCC_FLAGS = -std=c++20 $(NVCC_OPTIMIZES) -I. -I$(BUILD) $(CJSON_CFLAGS) $(GPU_ARCH_FLAGS) \
  -Xcompiler -Wall,-Wextra,-Wshadow,-Wno-missing-field-initializers $(if $(WERROR),-Xcompiler -Werror -Werror all-warnings)

# ---- the sources from which programs are linked ----

BASE := $(wildcard base/*.c)
HARNESS := $(patsubst %.c,%,$(BASE) $(wildcard harness/*.c))
# Test programs have a main() of their own, so they are linked without harness/main.
TEST_HARNESS := $(filter-out harness/main,$(HARNESS))
GPU_HARNESS := $(wildcard harness/*.cu)
MACHINE := $(patsubst %.c,%,$(wildcard machine/*.c machine/*/*.c)) machine/presets

objects = $(patsubst %,$(BUILD)/$(1)/obj/%.o,$(2:.c=))
# Kernels for the memory machine are PTX, which it executes by warps (machine/ptx/).
PTX_FLAGS = -std=c++20 -O3 -lineinfo -gencode arch=compute_90$(comma)code=compute_90 --no-compress -cudart none -I. -I$(BUILD) \
  $(CJSON_CFLAGS) $(MACHINE_FLAGS) -Xcompiler -Wall,-Wextra,-Wshadow,-Wno-missing-field-initializers \
  $(if $(WERROR),-Xcompiler -Werror -Werror all-warnings)
# These recipes link a program from its prerequisites: for the memory machine, for GPUs, and for the host
# alone.
define link_for_machine
@mkdir -p $(@D)
@echo "  CXX $@"
$(Q)$(CXX) $(LINKED_WITH) $(BESIDE) -o $@ $^ $(MACHINE_LIBS) $(LIBS) -lm
endef
define link_for_gpu
@mkdir -p $(@D)
@echo "  NVCC $@"
$(Q)$(NVCC) $(GPU_ARCH_FLAGS) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) $(LIBS) -lm
endef
define link_for_host
@mkdir -p $(@D)
@echo "  CC $@"
$(Q)$(CC) $(LINKED_WITH) $(BESIDE) -o $@ $^ $(CJSON_LIBS) $(Z_LIBS) $(LIBS) -lm
endef

# ---- rooms ----
#
# A room is a folder that is built and tested on its own: `make room ROOM=sum`. Its room.mk can set these
# variables; $(HERE) is the folder with a slash at the end.
#
#     PROGRAMS += NAME            programs, which are built for the memory machine and for GPUs
#     SOURCES_NAME := FILE...     the source files of the program NAME, with the .cu file first
#     LIBS_NAME, GPU_LIBS_NAME    the libraries that it is linked with: on both devices, and on GPUs only
#     LONG_TO_COMPILE += FILE...  .cu files (named without .cu) that tests compile for one architecture only
#     TESTS += TEST...            the tests of the room; a test is a program or a script, in quotes if it has arguments
#     SLOW_TESTS += TEST...       tests that take more than about 20 s; `make room` runs them only with SLOW=1
#     QUICK_TESTS += TEST...      parts of slow tests and tests of other rooms, which only `make room` runs
#     NEEDS += TARGET...          what the tests need beside the programs of the room
#     TESTED_NAME := FILE...      the source files that the test tests/NAME.c or tests/NAME.cu is linked with

# The suite's own files. Folders that a person fills, such as results/, are not looked at.
own_files = $(sort $(shell printf '%s\0' */$(1) */*/$(1) | grep -zxE '[a-z][a-z/]*/$(1)' | grep -zvE '^(build|plots|results)/' | tr '\0' ' '))
SWEEPS := $(call own_files,sweeps.txt)
ROOMS := $(patsubst %/room.mk,%,$(call own_files,room.mk))
ROOM_LISTS := PROGRAMS TESTS SLOW_TESTS QUICK_TESTS NEEDS
# Includes the room.mk of the room $(1). Each list that it sets, such as TESTS, is kept as TESTS_OF_room and
# appended to ALL_TESTS.
define INCLUDE_ROOM
$(foreach list,$(ROOM_LISTS),
$(list) :=)
HERE := $(1)/
include $(1)/room.mk
$(foreach list,$(ROOM_LISTS),
$(list)_OF_$(1) := $$($(list))
ALL_$(list) += $$($(list)))
endef
LONG_TO_COMPILE :=
$(foreach list,$(ROOM_LISTS),$(eval ALL_$(list) :=))
$(foreach room,$(ROOMS),$(eval $(call INCLUDE_ROOM,$(room))))
# Rooms with files that take long to compile are built first, so that no processor waits for the last file.
PROGRAMS := $(foreach room,$(ROOMS),$(if $(filter $(room)/%,$(LONG_TO_COMPILE)),$(PROGRAMS_OF_$(room))))
PROGRAMS += $(filter-out $(PROGRAMS),$(ALL_PROGRAMS))

# ROOM can name several rooms, or a folder with rooms in it.
ASKED_ROOMS := $(patsubst %/,%,$(ROOM))
CHOSEN_ROOMS := $(filter $(ASKED_ROOMS) $(addsuffix /%,$(ASKED_ROOMS)),$(ROOMS))
of_room = $(foreach room,$(CHOSEN_ROOMS),$($(1)_OF_$(room)))
ROOM_TESTS := $(call of_room,TESTS) $(call of_room,$(if $(SLOW),SLOW_TESTS,QUICK_TESTS))
programs_among = $(sort $(filter $(BUILD)/%,$(subst ",,$(1))))
# The programs that test scripts run: a script names them as machine/NAME, or runs all if a variable or a loop over
# committed results chooses among them.
run_by = $(if $(1),$(patsubst %,$(BUILD)/machine/%,$(filter $(PROGRAMS),$(shell grep -ohE 'machine/[a-z-]+' $(1) | sed 's/.*\///'))) \
  $(if $(shell grep -lE 'machine/["$$]|import committed' $(1)),machine))
ROOM_TARGETS := $(patsubst %,$(BUILD)/machine/%,$(call of_room,PROGRAMS)) $(call of_room,NEEDS) \
  $(call programs_among,$(ROOM_TESTS)) $(call run_by,$(filter-out %.cu,$(wildcard $(filter tests/%,$(subst ",,$(ROOM_TESTS))))))

# GPU programs are compiled with all optimizations, because they are measured. Tests without a GPU
# (ALONE=sm_90) only check that the programs compile, and save time: few optimizations are on, files that take
# long are compiled for one architecture only, and cooperative groups are used without libcu++, which takes
# three of the five seconds that a small program takes to compile.
BUILT_FOR := $(ARCH)$(if $(ALONE), in tests)
ifdef ALONE
NVCC_OPTIMIZES := -O0 -D_CG_LIMIT_INCLUDED_DEPENDENCIES \
  $(if $(shell $(NVCC) --help 2>/dev/null | grep Ofast-compile),-Ofc max,-Xcicc -O1 -Xptxas -O0)
$(LONG_TO_COMPILE:%=$(BUILD)/gpu/obj/%.cu.o): ARCH := $(ALONE)
$(BUILD)/gpu/obj/%.o: C_FLAGS := $(subst -O3,-O1,$(C_FLAGS))
endif

# Is there a GPU that shall be measured, and not a model?
ASKS_FOR_MODEL := $(or $(DEVICE),$(filter machine,$(KIND)))
CAN_MEASURE := $(and $(HAS_GPU),$(CUDA_HOME),$(if $(ASKS_FOR_MODEL),,yes))
include scripts/arguments.mk

.PHONY: all build-and-run clean compile-commands deps dist documents fidelity figures fuzz gpu help help-all \
  install left-out machine machine-speed mutate needed-to-measure needed-to-run renew report room room-tests run test-names test test-gpu test-sanitized FORCE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.SECONDARY:

help:
	@sed '/^$$/,$$d' scripts/help.txt
help-all:
	@cat scripts/help.txt

all: report $(if $(LACKS_MACHINE),,machine) $(if $(CAN_MEASURE),gpu) | left-out
	$(SAY_NO_NVCC)
	$(if $(LACKS_MACHINE),@echo 'make: the memory machine is not built:' $(call quoted,$(LACKS_MACHINE)))

deps:
	@$(DEPS) build figures test

machine: $(PROGRAMS:%=$(BUILD)/machine/%) | left-out
report: $(BUILD)/report
gpu: $(PROGRAMS:%=$(BUILD)/gpu/%) | left-out

# `make run` builds the programs only for the device that it measures: the GPU or the memory machine. If a
# program, a table or a figure fails, make ends with an error, but only after everything else has been
# measured and drawn. A run that measures nothing leaves no file .last, and then nothing is printed or drawn.
RUN := GPUSYNC_BUILT=yes BUILD='$(BUILD)' scripts/gpusync run $(if $(KIND),--kind "$$KIND") \
  $(if $(DEVICE),--device "$$DEVICE") $(if $(QUICK),--quick) $(if $(FULL),--full)
# The programs of the experiments; with QUICK=1 only those that have a quick sweep.
RUN_PROGRAMS = $(filter $(EXPERIMENTS) $(EXPERIMENTS:%=%-%),\
  $(if $(QUICK),$(shell awk -F ' *[|] *' '/^quick-/ { print $$2 }' $(SWEEPS) | sort -u),$(PROGRAMS)))
needed-to-run: $(if $(CAN_MEASURE),$(RUN_PROGRAMS:%=$(BUILD)/gpu/%),$(RUN_PROGRAMS:%=$(BUILD)/machine/%)) report | left-out
needed-to-measure: report $(BUILD)/gpu/micro-components
# With make -n, the lock is not taken. (make starts a line with its own name even then, to show what it does.)
run:
	@$(if $(IS_DRY),,scripts/alone $(BUILD)/.run )$(MAKE) --no-print-directory build-and-run
	$(SAY_NO_NVCC)
build-and-run: needed-to-run
	@set -f; $(RUN) --results "$$RESULTS" $$EXPERIMENTS

# In a recipe's shell, sets "$$@" to the folders of RESULT_DIRS, or without it to all folders of results whose names
# are such that report takes them.
define FOLDERS
set -f; set -- $$RESULT_DIRS; set +f; \
[ $$# -gt 0 ] || for folder in "$$RESULTS"/*/ "$$RESULTS"/reference/*/; do \
  folder=$${folder%/}; \
  case $${folder##*/} in .* | *[!A-Za-z0-9._-]* | papers | reference | bench) ;; *) [ ! -d "$$folder" ] || set -- "$$@" "$$folder" ;; esac; \
done
endef

# Prints FILE FOLDER FIGURE for each drawing in docs/.
DRAWINGS = awk '$$1 == "device" { folder[$$2] = $$4 } $$1 == "drawing" { print $$2, folder[$$4], $$5 }' docs/numbers.txt
# Computes the numbers, tables and drawings of the documents from the results.
documents: report
	@$(DEPS) figures
	@scripts/changed-kernels
	@$(BUILD)/report documents
	@set -e; $(DRAWINGS) | cut -d ' ' -f 2 | sort -u | while read -r folder; do \
	  $(BUILD)/report figures results/reference/$$folder >/dev/null; done
	@$(DRAWINGS) | while read -r file folder figure; do \
	  mkdir -p "docs/$$(dirname "$$file")" && cp "plots/reference/$$folder/$$figure.svg" "docs/$$file.svg" || exit; done

# Compares predictions with measurements, for every device for which scripts/predict has made predictions.
fidelity: report
	@$(FOLDERS); status=0; for folder; do [ -d "$$folder/predicted" ] || continue; \
	  echo; echo "$$folder"; $(BUILD)/report fidelity "$$folder" || { status=2; continue; }; \
	  ! $(DEPS) figures || $(BUILD)/report figures "$$folder" || status=2; done; exit $$status

# Makes the committed results of the memory machine anew, and says what changed.
renew: machine report
	@scripts/renew $(if $(DEVICE),--device "$$DEVICE") $(if $(PROGRAM),--program "$$PROGRAM") --jobs "$$JOBS"

figures: report
	@$(DEPS) figures
	@$(FOLDERS); $(BUILD)/report figures "$$@"

# Removes only what make itself has made: BUILD, if it has the file that every build makes first, and the folders of
# plots/ that have a page of report or a comparison.
clean:
	@if [ -e $(BUILD)/revision.h ] && case $$PWD/ in "$$(realpath $(BUILD))"/*) false ;; esac; then rm -rf $(BUILD); \
	elif [ -e $(BUILD) ]; then echo 'clean: $(BUILD) is left: it is not what make builds in' >&2; fi
	@rm -f plots/index.html compile_commands.json
	@for made in plots/*/index.html plots/reference/*/index.html plots/compare-*/*.set; do \
	  folder=$${made%/*}; \
	  case $${folder##*/} in .* | *[!A-Za-z0-9._-]*) continue ;; esac; \
	  case $$made in *.html) grep -qs '<title>gpusync: ' "$$made" || continue ;; *) [ -f "$$made" ] || continue ;; esac; \
	  rm -rf "$$folder"; done

compile-commands:
	@scripts/compile-commands >compile_commands.json.temporary
	@mv compile_commands.json.temporary compile_commands.json

# ---- objects ----

$(BUILD)/revision.h: FORCE
	@scripts/write-revision $@
FORCE:

$(BUILD)/presets.c: machine/presets.h $(MODELS:%=machine/presets/%.json) scripts/embed-presets
	@mkdir -p $(@D)
	$(Q)scripts/embed-presets $(MODELS:%=machine/presets/%.json) >$@

$(BUILD)/machine/obj/machine/presets.o: $(BUILD)/presets.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -c $< -o $@

# The rows of sweeps.txt as elements of the array in harness/sweeps.c.
$(BUILD)/sweep_rows.h: $(SWEEPS)
	@mkdir -p $(@D)
	$(Q)awk -F ' *[|] *' '!/^#/ && NF { printf "{\"%s\", \"%s\", \"%s\", \"%s\"},\n", $$1, $$2, $$3, $$4 }' $^ >$@
$(patsubst %,$(BUILD)/%/obj/harness/sweeps.o,machine gpu): $(BUILD)/sweep_rows.h

# revision.h must exist before the first object is compiled, because some objects contain the revision. Their
# .d files then name revision.h, so they are compiled again when it changes. It changes when any file is
# edited.
$(BUILD)/machine/obj/%.o: %.c | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE $(MACHINE_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/machine/obj/%.cu.o: %.cu | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  NVCC $@"
	$(Q)$(NVCC) $(PTX_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/gpu/obj/%.o: %.c $(BUILD)/gpu/obj/arch | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -isystem $(CUDA_HOME)/include -MMD -MP -c $< -o $@

# This file remembers for which architectures the GPU objects were built; another ARCH builds them again.
$(BUILD)/gpu/obj/arch: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILT_FOR)' | cmp -s - $@ || echo '$(BUILT_FOR)' >$@

$(BUILD)/gpu/obj/%.cu.o: %.cu $(BUILD)/gpu/obj/arch
	@mkdir -p $(@D)
	@echo "  NVCC $@"
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MP -c $< -o $@

# ---- programs ----

define LINK_PROGRAM
$(BUILD)/machine/$(1): LIBS := $(LIBS_$(1))
$(BUILD)/machine/$(1): $(call objects,machine,$(SOURCES_$(1)) $(HARNESS) $(MACHINE)); $$(link_for_machine)
$(BUILD)/gpu/$(1): LIBS := $(LIBS_$(1)) $(GPU_LIBS_$(1))
$(BUILD)/gpu/$(1): $(call objects,gpu,$(SOURCES_$(1)) $(HARNESS) $(GPU_HARNESS)); $$(link_for_gpu)
endef
$(foreach p,$(PROGRAMS),$(eval $(call LINK_PROGRAM,$(p))))

# ---- host code, which uses no device ----

# These objects do not need revision.h. They wait for it so that make first begins the objects of `make run` that take
# long: those also wait for it, and all processors would otherwise be busy with these.
$(BUILD)/host/obj/%.o: %.c | $(BUILD)/revision.h
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(C_FLAGS) -D_GNU_SOURCE -MMD -MP -c $< -o $@

# ---- tests ----

include tests/tests.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
# An exported name that is not set would become an empty one. The default of BUILD is a path from this folder, which
# would mislead a test in another folder.
export $(foreach name,$(DATA),$(if $(filter undefined,$(origin $(name)))$(filter BUILD-file,$(name)-$(origin $(name))),,$(name)))
