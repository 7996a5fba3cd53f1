# For find_package(gpusync), target_link_libraries(... gpusync::sync) and #include "sync/grid_barrier.cuh".
get_filename_component(gpusync_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET gpusync::sync)
  add_library(gpusync::sync INTERFACE IMPORTED)
  set_target_properties(gpusync::sync PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${gpusync_prefix}/include/gpusync")
endif()
