# MPI's flags come from its compiler mpicc or from pkg-config; if MPI_HOME is set, they come only from there. Many
# computers can run MPI programs, but lack mpi.h, and then there are no flags.
MPI_HOME ?=
MPI_FLAGS := $(shell { $(if $(MPI_HOME),$(MPI_HOME)/bin/mpicc -show,mpicc -show || pkg-config --cflags --libs ompi); } 2>/dev/null)
MPI_CFLAGS ?= $(filter -I%,$(MPI_FLAGS))
MPI_H := $(if $(strip $(MPI_FLAGS)),$(shell $(CC) $(MPI_CFLAGS) -include mpi.h -E -x c /dev/null >/dev/null 2>&1 && echo yes))
MPI_LIBS ?= $(if $(MPI_H),$(strip $(filter -L% -l%,$(MPI_FLAGS)) $(patsubst -L%,-Xlinker -rpath=%,$(filter -L%,$(MPI_FLAGS)))))

PROGRAMS += micro-multi-gpu micro-all-reduce bitonic-multi-gpu sum-multi-gpu $(if $(MPI_LIBS),micro-multi-node)
SOURCES_micro-multi-gpu := $(addprefix $(HERE),multi-gpu.cu nccl.c nccl_lsa.cu)
SOURCES_micro-all-reduce := $(addprefix $(HERE),all-reduce.cu nccl.c nccl_lsa.cu nccl_reduce.cu peers.c nvshmem_reduce.cu)
SOURCES_bitonic-multi-gpu := $(addprefix $(HERE),bitonic.cu nccl.c) bitonic/keys.c
SOURCES_sum-multi-gpu := $(addprefix $(HERE),sum.cu nccl.c) sum/numbers.c
SOURCES_micro-multi-node := $(addprefix $(HERE),multi-node.cu ranks.c nccl_rank.c nvshmem_ranks.cu)
LONG_TO_COMPILE += $(addprefix $(HERE),multi-gpu all-reduce multi-node bitonic sum)

# NCCL is taken from a wheel's folder (nvidia-nccl-cu13), from CUDA's folder or from the system's folders.
# Without it, the variants that need it are skipped.
PYTHON_SITES := $(shell python3 -c "import site; print(*site.getsitepackages())" 2>/dev/null)
NCCL_HOME ?= $(patsubst %/include/nccl.h,%,$(firstword $(wildcard $(CUDA_HOME)/include/nccl.h /usr/include/nccl.h \
  $(addsuffix /nvidia/nccl/include/nccl.h,$(PYTHON_SITES)))))
NCCL_FLAGS := $(if $(NCCL_HOME),-DGPUSYNC_NCCL -I$(NCCL_HOME)/include)
NCCL_LIBS := $(if $(NCCL_HOME),-L$(NCCL_HOME)/lib -l:libnccl.so.2 -Xlinker -rpath=$(NCCL_HOME)/lib)
GPU_LIBS_micro-multi-gpu := $(NCCL_LIBS)
GPU_LIBS_bitonic-multi-gpu := $(NCCL_LIBS)
GPU_LIBS_sum-multi-gpu := $(NCCL_LIBS)
$(patsubst %,$(BUILD)/gpu/obj/$(HERE)%.o,nccl nccl_rank): C_FLAGS += $(NCCL_FLAGS)
$(patsubst %,$(BUILD)/gpu/obj/$(HERE)%.cu.o,multi-gpu all-reduce bitonic sum): NVCC_FLAGS += $(filter -D%,$(NCCL_FLAGS))
# nccl_device.h causes the warnings that are switched off here.
$(patsubst %,$(BUILD)/gpu/obj/$(HERE)%.cu.o,nccl_lsa nccl_reduce): NVCC_FLAGS += $(NCCL_FLAGS) -Xcompiler -Wno-shadow$(comma)-Wno-unused-parameter

# NVSHMEM is taken from a wheel's folder (nvidia-nvshmem-cu13) or from CUDA's folder.
NVSHMEM_HOME ?= $(patsubst %/include/nvshmem.h,%,$(firstword $(wildcard $(CUDA_HOME)/include/nvshmem.h \
  $(addsuffix /nvidia/nvshmem/include/nvshmem.h,$(PYTHON_SITES)))))
LIBS_micro-multi-node := $(MPI_LIBS)
NVSHMEM_LIBS := $(if $(NVSHMEM_HOME),-L$(NVSHMEM_HOME)/lib -lnvshmem_device -l:libnvshmem_host.so.3 -lcuda \
  -Xlinker -rpath=$(NVSHMEM_HOME)/lib)
GPU_LIBS_micro-multi-node := $(NCCL_LIBS) $(NVSHMEM_LIBS)
GPU_LIBS_micro-all-reduce := $(NCCL_LIBS) $(NVSHMEM_LIBS)
$(patsubst %,$(BUILD)/%/obj/$(HERE)ranks.o,gpu machine): C_FLAGS += $(MPI_CFLAGS)
$(patsubst %,$(BUILD)/gpu/obj/$(HERE)%.cu.o,nvshmem_ranks nvshmem_reduce): NVCC_FLAGS += $(if $(NVSHMEM_HOME),-DGPUSYNC_NVSHMEM -isystem $(NVSHMEM_HOME)/include -rdc=true)

# In tests without a GPU (ALONE), files whose device code is linked are compiled for only one architecture,
# like all other files.
ifdef ALONE
$(patsubst %,$(BUILD)/gpu/obj/$(HERE)%.cu.o,nvshmem_ranks nvshmem_reduce nccl_lsa nccl_reduce): ARCH := $(lastword $(ARCH))
endif

# Prints which libraries for several GPUs were not found. The build uses a library if it finds it, and
# installs none.
left-out:
	@$(if $(MPI_LIBS),:,echo '  without MPI (no mpicc, no MPI_HOME, or no mpi.h): no micro-multi-node')
ifneq ($(CUDA_HOME),)
	@$(if $(NCCL_HOME),:,echo '  without NCCL (no NCCL_HOME, no wheel nvidia-nccl): no variant nccl')
	@$(if $(NVSHMEM_HOME),:,echo '  without NVSHMEM (no NVSHMEM_HOME, no wheel nvidia-nvshmem): no variants nvshmem')
endif

TESTS += tests/algorithms/multi_gpu tests/algorithms/all_reduce tests/algorithms/multi_node
