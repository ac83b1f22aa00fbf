# What the library stands on, component by component. Each line here has its reason in docs/dependencies.md.

# flexor_find(COMPONENT PACKAGE ARGUMENTS...): finds a package, and has the installed package file look for it whenever
# somebody asks for that component.
set(flexor_stands_on "")
macro(flexor_find component package)
  find_package(${package} ${ARGN} REQUIRED)
  string(REPLACE ";" " " flexor_arguments "${ARGN}")
  string(APPEND flexor_stands_on "flexor_stands_on(${component} ${package} ${flexor_arguments})\n")
endmacro()

flexor_find(deform hwy CONFIG)
if(FLEXOR_THREADS STREQUAL tbb)
  flexor_find(deform TBB CONFIG)
elseif(FLEXOR_THREADS STREQUAL std)
  flexor_find(deform Threads)
endif()

if("io" IN_LIST FLEXOR_COMPONENTS)
  find_package(nlohmann_json 3.11 REQUIRED CONFIG) # headers, compiled in
  if(FLEXOR_WITH_MESHOPT)
    flexor_find(io meshoptimizer CONFIG)
  endif()
  if(FLEXOR_WITH_DRACO)
    flexor_find(io draco CONFIG)
  endif()
  if(FLEXOR_WITH_LZ4)
    flexor_find(io LZ4)
  endif()
endif()

# Bullet in double precision, so that a character far from the origin keeps its digits. Without it all else works.
if("pose" IN_LIST FLEXOR_COMPONENTS)
  find_package(BulletDouble QUIET)
  option(FLEXOR_WITH_BULLET "Rigid bodies of MikuMikuDance characters, by Bullet" ${BulletDouble_FOUND})
  if(FLEXOR_WITH_BULLET)
    if(NOT BulletDouble_FOUND)
      message(FATAL_ERROR "Bullet in double precision not found: install libbullet-dev, or set FLEXOR_WITH_BULLET=OFF")
    endif()
    flexor_find(pose BulletDouble)
  endif()
endif()

if("render" IN_LIST FLEXOR_COMPONENTS)
  flexor_find(render embree 3.13 CONFIG)
  flexor_find(render PNG)
  flexor_find(render libjpeg-turbo CONFIG)
  find_path(FLEXOR_STB_INCLUDE stb/stb_truetype.h DOC "The folder that holds stb/stb_truetype.h")
  if(NOT FLEXOR_STB_INCLUDE)
    message(FATAL_ERROR "stb/stb_truetype.h not found: install libstb-dev, or set FLEXOR_STB_INCLUDE")
  endif()
  find_file(
    FLEXOR_FONT DejaVuSans.ttf
    PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/dejavu-sans-fonts /usr/share/fonts/TTF
    DOC "The TrueType font that labels in pictures are drawn with")
  if(NOT FLEXOR_FONT)
    message(FATAL_ERROR "DejaVuSans.ttf not found: install fonts-dejavu-core, or set FLEXOR_FONT")
  endif()
  find_file(
    FLEXOR_FONT_JAPANESE MTLc3m.ttf
    PATHS /usr/share/fonts/truetype/motoya-l-cedar /usr/share/fonts/motoya-l-cedar /usr/share/fonts/TTF
    DOC "The TrueType font for what FLEXOR_FONT lacks: names in MikuMikuDance models are Japanese")
  if(NOT FLEXOR_FONT_JAPANESE)
    message(FATAL_ERROR "MTLc3m.ttf not found: install fonts-motoya-l-cedar, or set FLEXOR_FONT_JAPANESE")
  endif()
endif()
