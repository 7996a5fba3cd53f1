PROGRAMS += fft
SOURCES_fft := $(ROOM)fft.cu $(ROOM)reference.c
LONG_TO_COMPILE += $(ROOM)fft
# The tiles, unrolled, would need more stack than a thread of the machine has.
$(BUILD)/machine/obj/$(ROOM)fft.cu.o: MACHINE_CU_FLAGS := $(subst -O3,-O2,$(MACHINE_CU_FLAGS))
# cuFFT is of the CUDA Toolkit, where it has it.
GPU_LIBS_fft := $(if $(wildcard $(CUDA_HOME)/lib64/libcufft.so),-lcufft)
$(BUILD)/gpu/obj/$(ROOM)fft.cu.o: NVCC_FLAGS += $(if $(GPU_LIBS_fft),-DGPUSYNC_CUFFT)
