MEMORY_MODEL := $(addprefix $(HERE)weak/,memory_model.c view.c history.c clocks.c)
TESTED_l1_cache := $(HERE)weak/l1_cache.c
TESTED_cache_tags := $(HERE)memory/cache_tags.c
TESTED_l2_halves := $(HERE)memory/l2_halves.c
TESTED_polled_words := $(addprefix $(HERE)engine/,polled_words.c bags.c)

TESTS += $(BUILD)/host/cache_tags $(BUILD)/host/l1_cache $(BUILD)/host/l2_halves $(BUILD)/host/polled_words \
  $(addprefix $(BUILD)/machine/tests/machine_,calls clusters fermi joins mixed model streams time turns weak) tests/cuda_abi
SLOW_TESTS += tests/regressions tests/stale tests/weak_memory
QUICK_TESTS += $(BUILD)/host/memory_model tests/cli tests/predict "tests/stale --all \
  $(addprefix results/reference/machine-gtx280/,sum micro-split micro-megakernel micro-producer-consumer)"
NEEDS += check-tool
