# Finds LZ4 and makes the target LZ4::lz4: Debian's package brings no CMake file. Installed beside the package file of flexor.
find_path(LZ4_INCLUDE_DIR lz4.h DOC "The folder that holds lz4.h")
find_library(LZ4_LIBRARY lz4 DOC "The LZ4 library")
mark_as_advanced(LZ4_INCLUDE_DIR LZ4_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LZ4 REQUIRED_VARS LZ4_LIBRARY LZ4_INCLUDE_DIR)

if(LZ4_FOUND AND NOT TARGET LZ4::lz4)
  add_library(LZ4::lz4 UNKNOWN IMPORTED)
  set_target_properties(LZ4::lz4 PROPERTIES IMPORTED_LOCATION "${LZ4_LIBRARY}"
                                            INTERFACE_INCLUDE_DIRECTORIES "${LZ4_INCLUDE_DIR}")
endif()
