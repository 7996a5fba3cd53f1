MEMORY_MODEL := $(addprefix $(HERE)weak/,memory_model.c view.c history.c clocks.c)
TESTED_caches := $(addprefix $(HERE),weak/l1_cache.c memory/cache_tags.c memory/l2_halves.c engine/polled_words.c engine/bags.c)

TESTS += $(BUILD)/host/caches \
  $(addprefix $(BUILD)/machine/tests/machine_,calls fermi joins mixed model streams time weak) tests/cuda_abi
SLOW_TESTS += tests/regressions tests/stale tests/weak_memory
QUICK_TESTS += $(BUILD)/host/memory_model tests/cli tests/predict "tests/stale --all \
  $(addprefix results/reference/machine-gtx280/,sum micro-split micro-megakernel micro-producer-consumer)"
NEEDS += check-tool
