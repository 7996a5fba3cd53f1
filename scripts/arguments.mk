# Checks what the user asks of make, before anything is built: names that are not known get one line with the
# nearest names. Then makes sure that the programs and libraries that the targets need are installed.

GOALS := $(or $(MAKECMDGOALS),help)
# Is this make -n or make -q, which must not change anything?
IS_DRY := $(findstring n,$(firstword -$(MAKEFLAGS)))$(findstring q,$(firstword -$(MAKEFLAGS)))
near = $(shell scripts/options $(call quoted,$(1)) $(2))
is_set_by_user = $(filter $(1),$(GIVEN))

# ---- targets ----

# A goal with a slash or a dot is a file.
NAMED_GOALS := $(foreach goal,$(GOALS),$(if $(findstring /,$(goal))$(findstring .,$(goal)),,$(goal)))
ifneq ($(strip $(NAMED_GOALS)),)
TARGETS := $(shell sed -e :a -e '/\\$$/N; s/\\\n//; ta' Makefile scripts/*.mk $(ROOMS:%=%/room.mk) tests/tests.mk | \
  sed -nE 's/^\.PHONY://p; s/^([a-z][a-z -]*):([^=].*)?$$/\1/p')
UNKNOWN := $(firstword $(filter-out $(TARGETS),$(NAMED_GOALS)))
ifneq ($(UNKNOWN),)
$(error there is no target $(UNKNOWN); $(call near,$(UNKNOWN),$(TARGETS)) make help names them)
endif
endif

# ---- variables of the command line ----

# The variables that the user may set: variables that scripts/help.txt explains, all others that a makefile
# reads, and variables that compilers and libraries read from the environment. Messages name them in this
# order.
ENVIRONMENT := MAKEFLAGS SHELL TMPDIR PATH HOME LC_% LANG CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS AR LD GPUSYNC_% TESTS_% \
  CUDA_% NVCC_% NCCL_% NVSHMEM_% MPI_% OMPI_% PKG_CONFIG_% CCACHE_% LIBS_% GPU_LIBS_% SOURCES_%
ifneq ($(strip $(GIVEN)),)
EXPLAINED := $(shell grep -oE '[A-Z_]+=' scripts/help.txt | tr -d = | sort -u)
KNOWN := $(EXPLAINED) $(shell grep -ohE '[$$][^A-Za-z ]*[A-Z][A-Z_0-9]*' Makefile scripts/*.mk $(ROOMS:%=%/room.mk) tests/tests.mk | \
  tr -dc 'A-Z_0-9\n' | sort -u)
UNKNOWN := $(firstword $(filter-out $(KNOWN) $(ENVIRONMENT),$(GIVEN)))
ifneq ($(UNKNOWN),)
$(error there is no variable $(UNKNOWN); $(or $(call near,$(UNKNOWN),$(EXPLAINED)),$(call near,$(UNKNOWN),$(KNOWN))) make help names them)
endif
endif

# ---- their values ----

# A variable from the environment may be meant for another program, so it is checked only if a target reads
# it.
is_read = $(or $(call is_set_by_user,$(1)),$(filter $(2),$(GOALS)))

ifneq ($(and $(KIND),$(call is_read,KIND,run needed-to-run)),)
ifeq ($(filter $(words $(KIND))$(KIND),1gpu 1machine),)
$(error KIND=$(KIND): it is gpu or machine)
endif
ifneq ($(and $(filter gpu,$(KIND)),$(DEVICE)),)
$(error DEVICE=$(DEVICE) is a model, and KIND=gpu asks for the GPU: one of them)
endif
ifneq ($(and $(filter gpu,$(KIND)),$(if $(HAS_GPU),,no)),)
$(error KIND=gpu: there is no GPU here (nvidia-smi -L lists none))
endif
endif

MODELS := $(patsubst %.json,%,$(shell ls machine/presets | grep -xE '[a-z0-9]+\.json'))
ifneq ($(and $(DEVICE),$(call is_read,DEVICE,run needed-to-run),$(if $(filter renew,$(GOALS)),,yes)),)
ifneq ($(words $(filter $(MODELS) umm:% dmm:%,$(DEVICE)))$(words $(DEVICE)),11)
ifneq ($(shell [ ! -f $(call quoted,$(DEVICE)) ] || echo yes),yes)
$(error DEVICE=$(DEVICE): there is no such model; $(strip $(call near,$(DEVICE),$(MODELS)) there are) $(MODELS) umm:W,L dmm:W,L and files like those in machine/presets)
endif
endif
endif

# The name of an experiment is the name of a program, or the part of it before the first hyphen.
KNOWN_EXPERIMENTS := $(sort $(PROGRAMS) $(foreach p,$(PROGRAMS),$(firstword $(subst -, ,$(p)))))
ifneq ($(call is_read,EXPERIMENTS,run needed-to-run),)
WRONG := $(strip $(foreach e,$(EXPERIMENTS),$(if $(filter $(e) $(e)-%,$(PROGRAMS)),,$(e))))
ifneq ($(WRONG),)
$(error EXPERIMENTS: there is no program $(firstword $(WRONG)) here; $(strip $(call near,$(firstword $(WRONG)),$(KNOWN_EXPERIMENTS)) there are) $(KNOWN_EXPERIMENTS))
endif
ifeq ($(strip $(EXPERIMENTS)),)
$(error EXPERIMENTS is empty: there are $(KNOWN_EXPERIMENTS))
endif
endif

ifneq ($(and $(filter room,$(GOALS)),$(if $(strip $(ASKED_ROOMS)),,yes)),)
$(error make room ROOM=sum: which room? There are $(ROOMS))
endif
ifneq ($(call is_read,ROOM,room),)
KNOWN_ROOMS := $(ROOMS)
WRONG := $(strip $(foreach r,$(ASKED_ROOMS),$(if $(filter $(r) $(r)/%,$(KNOWN_ROOMS)),,$(r))))
ifneq ($(WRONG),)
$(error ROOM: there is no room $(firstword $(WRONG)); $(strip $(call near,$(firstword $(WRONG)),$(ROOMS)) there are) $(ROOMS))
endif
endif

ifneq ($(filter -%,$(RESULTS)),)
$(error RESULTS=$(RESULTS): a name that begins with a hyphen would be an option; RESULTS=./$(RESULTS))
endif

# ---- the compiler for the GPU ----

# If there is a GPU but no compiler for it, it is not silently replaced by the model of another GPU. The user
# must ask for a model, by KIND=machine or DEVICE; the first and the last line of the output then say so.
SAY_NO_NVCC :=
NEEDS_NVCC := $(filter gpu gpu-tests test-gpu needed-to-measure,$(GOALS))$(if $(ASKS_FOR_MODEL),,$(filter all run needed-to-run test,$(GOALS)))
ifneq ($(and $(NVCC_PROBLEM),$(NEEDS_NVCC)),)
$(error $(subst find-nvcc: ,,$(NVCC_PROBLEM)))
endif
ifneq ($(and $(HAS_GPU),$(if $(FOUND_NVCC),,yes),$(filter all run needed-to-run,$(GOALS)),$(filter 0,$(MAKELEVEL))),)
NO_NVCC := $(shell scripts/deps gpu 2>&1)
ifeq ($(ASKS_FOR_MODEL),)
$(error $(subst deps: ,,$(NO_NVCC)). Then run make again; KIND=machine takes the model of another GPU instead)
endif
SAY_NO_NVCC := @echo $(call quoted,make: what ran is a model: $(subst deps: ,,$(NO_NVCC)))
$(info make: what runs is a model: $(subst deps: ,,$(NO_NVCC)))
else ifneq ($(and $(if $(FOUND_NVCC),,yes),$(filter gpu gpu-tests test-gpu needed-to-measure,$(GOALS)),$(filter 0,$(MAKELEVEL))),)
$(error there is no nvcc: looked at NVCC, CUDA_HOME, PATH, CUDA_PATH, /usr/local/cuda* and pip's packages)
endif

# ---- packages ----

DEPS = CC='$(CC)' CXX='$(CXX)' CJSON_CFLAGS='$(CJSON_CFLAGS)' CJSON_LIBS='$(CJSON_LIBS)' Z_LIBS='$(Z_LIBS)' SUDO='$(SUDO)' scripts/deps
# These targets compile nothing, or handle their packages themselves.
NEED_NOTHING := help help-all clean deps dist install compile-commands left-out test-names room-tests
# These targets need no library of the memory machine. On a computer with a GPU, `make all` builds the machine only if
# they are there.
WITHOUT_MACHINE := $(BUILD)/gpu/% $(BUILD)/report gpu gpu-tests report needed-to-measure figures \
  fidelity documents $(if $(CAN_MEASURE),all run needed-to-run build-and-run)
NEEDED_SETS := build $(if $(filter-out $(WITHOUT_MACHINE),$(GOALS)),machine) \
  $(if $(filter test room test-gpu,$(GOALS)),test) $(if $(filter figures documents,$(GOALS)),figures) \
  $(if $(filter fidelity test test-gpu,$(GOALS)),--wanted figures) \
  $(if $(and $(CAN_MEASURE),$(filter all,$(GOALS))),--wanted machine)
# The packages are checked here and not in a target, because make could build a target at the same time as the
# first compilation, which needs the packages.
ifneq ($(and $(filter 0,$(MAKELEVEL)),$(if $(IS_DRY),,yes),$(filter-out $(NEED_NOTHING),$(GOALS))),)
DEPS_STATUS := $(shell $(DEPS) $(NEEDED_SETS) >&2; echo $$?)
ifneq ($(DEPS_STATUS),0)
$(error the line above says what is missing)
endif
# The packages may have brought an nvcc.
ifeq ($(FOUND_NVCC),)
FOUND_NVCC := $(shell scripts/find-nvcc 2>/dev/null)
NVCC := $(or $(FOUND_NVCC),nvcc)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(FOUND_NVCC))
endif
endif
LACKS_MACHINE := $(if $(and $(CAN_MEASURE),$(filter all,$(GOALS))),$(shell $(DEPS) --missing machine))
