# The programs of gpusync-check in which kernels and the host call most of CUDA's functions.
NEEDS += check-tool
QUICK_TESTS += $(addprefix $(BUILD)/machine/tests/machine_,model streams time) \
  "tests/gpusync_check $(addprefix tests/check/,atomics.cu bulk.cu cluster.cu copies.cu managed.cu device_heap.cu default_streams.cu \
  ptx_flag.cu runtime.cu streams.cu textures.cu warp.cu warp_rules.cu)" tests/deadlocks
