QUICK_TESTS += "tests/gpusync_check $(addprefix $(HERE),look-back.cu dependent-copy.cu)"
NEEDS += check-tool
