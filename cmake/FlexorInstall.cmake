# Install rules: find_package(flexor CONFIG [COMPONENTS ...]) and pkg-config, proved by tools/consume.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(flexor_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flexor)
set(flexor_installed ${FLEXOR_COMPONENTS})
foreach(component IN LISTS flexor_installed)
  if(component STREQUAL flexor)
    set(flexor_target flexor)
  else()
    set(flexor_target flexor_${component})
  endif()
  # Each in an export of its own, so that the package file reads only those whose needs it has looked for.
  install(TARGETS ${flexor_target} EXPORT flexor_${component}_targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(
    EXPORT flexor_${component}_targets
    NAMESPACE flexor::
    FILE flexor-${component}-targets.cmake
    DESTINATION ${flexor_cmake_dir})
endforeach()
install(DIRECTORY include/flexor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET flexor_cli)
  file(RELATIVE_PATH flexor_lib_from_bin "/p/${CMAKE_INSTALL_BINDIR}" "/p/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(flexor_cli PROPERTIES INSTALL_RPATH $ORIGIN/${flexor_lib_from_bin})
  install(TARGETS flexor_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Our licence, and those of what is compiled, embedded or linked in.
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY licenses DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/flexor-config.cmake.in ${PROJECT_BINARY_DIR}/flexor-config.cmake
                              INSTALL_DESTINATION ${flexor_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flexor-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flexor-config.cmake ${PROJECT_BINARY_DIR}/flexor-config-version.cmake
        DESTINATION ${flexor_cmake_dir})
install(FILES cmake/FlexorComponents.cmake DESTINATION ${flexor_cmake_dir} RENAME flexor-components.cmake)
if("io" IN_LIST FLEXOR_COMPONENTS AND FLEXOR_WITH_LZ4)
  install(FILES cmake/FindLZ4.cmake DESTINATION ${flexor_cmake_dir})
endif()
if(FLEXOR_WITH_BULLET)
  install(FILES cmake/FindBulletDouble.cmake DESTINATION ${flexor_cmake_dir})
endif()

include(FlexorPkgConfig)
