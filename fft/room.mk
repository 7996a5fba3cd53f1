PROGRAMS += fft
SOURCES_fft := $(HERE)fft.cu $(HERE)reference.c
LONG_TO_COMPILE += $(HERE)fft
# fft is linked with cuFFT if the CUDA Toolkit has it.
GPU_LIBS_fft := $(if $(wildcard $(CUDA_HOME)/lib64/libcufft.so),-lcufft)
$(BUILD)/gpu/obj/$(HERE)fft.cu.o: NVCC_FLAGS += $(if $(GPU_LIBS_fft),-DGPUSYNC_CUFFT)

TESTED_fft_runs := $(HERE)reference.c
TESTS += $(BUILD)/machine/tests/fft_runs
SLOW_TESTS += tests/algorithms/fft
QUICK_TESTS += "tests/regressions fft" "tests/algorithms/refusals machine fft"
NEEDS += $(BUILD)/host/oracles/fft
