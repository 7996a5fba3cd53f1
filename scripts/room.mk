TESTS += tests/driver_ends tests/runner tests/small_scripts tests/hostile_names
QUICK_TESTS += tests/misuse tests/cli
NEEDS += machine $(BUILD)/report check-tool
