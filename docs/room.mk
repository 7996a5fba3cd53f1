TESTS += tests/statements
SLOW_TESTS += tests/commands
