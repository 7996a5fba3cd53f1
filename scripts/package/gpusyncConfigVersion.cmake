# This version is compatible if its first number is the one asked for and it is not older.
set(PACKAGE_VERSION "@VERSION@")
string(REGEX MATCH "^[0-9]+" gpusync_first "${PACKAGE_VERSION}")
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION
   AND "${PACKAGE_FIND_VERSION_MAJOR}" MATCHES "^(${gpusync_first})?$")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
