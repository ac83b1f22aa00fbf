# One place for the flags and names that every target of the project shares.
include(GNUInstallDirs)

# Flags that the promises about numbers rest on: a multiply-add happens only where it is written.
add_library(flexor_flags INTERFACE)
target_compile_features(flexor_flags INTERFACE cxx_std_20)
target_compile_options(flexor_flags INTERFACE -ffp-contract=off)

add_library(flexor_warnings INTERFACE)
target_compile_options(flexor_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                                                 -Wconversion -Wno-sign-conversion)
# g++ 12 sees overlapping copies in "literal" + std::string where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(flexor_warnings INTERFACE -Wno-restrict)
endif()
# clang blames std::stable_sort of libstdc++ 12 for the deprecated function that its own header calls.
target_compile_options(flexor_warnings
                       INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(FLEXOR_WARNINGS_AS_ERRORS)
  target_compile_options(flexor_warnings INTERFACE -Werror)
endif()

# flexor_library(COMPONENT): the library flexor_COMPONENT, static or shared as BUILD_SHARED_LIBS says, exported as
# flexor::COMPONENT. Its public names carry FLEXOR_API (core/export.h); nothing else leaves a shared one.
function(flexor_library component)
  set(target flexor_${component})
  add_library(${target})
  add_library(flexor::${component} ALIAS ${target})
  set_target_properties(
    ${target}
    PROPERTIES EXPORT_NAME ${component}
               CXX_EXTENSIONS OFF
               POSITION_INDEPENDENT_CODE ON
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               VERSION ${PROJECT_VERSION}
               # Before 1.0 a minor version may change the interface.
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               INSTALL_RPATH $ORIGIN)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PUBLIC FLEXOR_SHARED)
    target_link_options(${target} PRIVATE -Wl,--no-undefined -Wl,--exclude-libs,ALL)
  endif()
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:flexor_flags>
                                          $<BUILD_INTERFACE:flexor_warnings>)
endfunction()

# flexor_executable(NAME SOURCES...): a program of the project (command, test, bench), never installed by itself.
function(flexor_executable name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE flexor_flags flexor_warnings)
endfunction()
