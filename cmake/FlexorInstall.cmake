# Install rules: find_package(flexor CONFIG) and pkg-config, proved by tools/consume.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(flexor_installed flexor flexor_bake)
if(FLEXOR_WITH_RENDER)
  list(APPEND flexor_installed flexor_render)
endif()
install(TARGETS ${flexor_installed} EXPORT flexor_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/flexor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET flexor_cli)
  install(TARGETS flexor_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(flexor_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flexor)
install(
  EXPORT flexor_targets
  NAMESPACE flexor::
  FILE flexor-targets.cmake
  DESTINATION ${flexor_cmake_dir})
configure_package_config_file(cmake/flexor-config.cmake.in ${PROJECT_BINARY_DIR}/flexor-config.cmake
                              INSTALL_DESTINATION ${flexor_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flexor-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flexor-config.cmake
              ${PROJECT_BINARY_DIR}/flexor-config-version.cmake DESTINATION ${flexor_cmake_dir})

# pkg-config describes flexor::flexor, the library an engine embeds.
set(flexor_pc_requires "libhwy")
set(flexor_pc_libs "")
if(FLEXOR_THREADS STREQUAL tbb)
  string(APPEND flexor_pc_requires ", tbb")
endif()
if(FLEXOR_WITH_DRACO)
  string(APPEND flexor_pc_requires ", draco")
endif()
if(FLEXOR_WITH_BULLET)
  string(APPEND flexor_pc_requires ", bullet-float64")
endif()
if(FLEXOR_WITH_MESHOPT)
  string(APPEND flexor_pc_libs " -lmeshoptimizer") # ships no .pc file
endif()
file(RELATIVE_PATH flexor_pc_up "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
configure_file(cmake/flexor.pc.in ${PROJECT_BINARY_DIR}/flexor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/flexor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
