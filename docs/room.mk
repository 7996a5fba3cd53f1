TESTS += tests/statements tests/floors
SLOW_TESTS += tests/commands
