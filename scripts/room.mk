TESTS += tests/driver_ends tests/runner
QUICK_TESTS += tests/misuse tests/cli tests/fleet
NEEDS += machine $(BUILD)/report check-tool
