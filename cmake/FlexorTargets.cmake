# One place for the flags and names that every target of the project shares.

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

# flexor_library(NAME): a static library of the project, exported as flexor::NAME without its prefix.
function(flexor_library name)
  add_library(${name} STATIC)
  set_target_properties(
    ${name}
    PROPERTIES CXX_EXTENSIONS OFF
               POSITION_INDEPENDENT_CODE ON
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(
    ${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:flexor_flags>
                                        $<BUILD_INTERFACE:flexor_warnings>)
endfunction()

# flexor_executable(NAME SOURCES...): a program of the project (command, test, bench), never installed by itself.
function(flexor_executable name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE flexor_flags flexor_warnings)
endfunction()
