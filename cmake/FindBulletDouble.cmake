# Finds Bullet built in double precision and makes the target BulletDouble::BulletDynamics. Installed beside the package file of
# flexor, so that no path of the machine that built it stands in there. Bullet's own package file names single precision.
find_path(BulletDouble_INCLUDE_DIR btBulletDynamicsCommon.h PATH_SUFFIXES bullet
          DOC "The folder that holds btBulletDynamicsCommon.h")
set(bulletdouble_parts BulletDynamics BulletCollision LinearMath) # each needs those after it
set(bulletdouble_variables "")
foreach(part IN LISTS bulletdouble_parts)
  find_library(BulletDouble_${part}_LIBRARY ${part}-float64 DOC "${part} of Bullet, built with BT_USE_DOUBLE_PRECISION")
  mark_as_advanced(BulletDouble_${part}_LIBRARY)
  list(APPEND bulletdouble_variables BulletDouble_${part}_LIBRARY)
endforeach()
mark_as_advanced(BulletDouble_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BulletDouble REQUIRED_VARS BulletDouble_INCLUDE_DIR ${bulletdouble_variables})

if(BulletDouble_FOUND AND NOT TARGET BulletDouble::BulletDynamics)
  foreach(part IN LISTS bulletdouble_parts)
    add_library(BulletDouble::${part} UNKNOWN IMPORTED)
    set_target_properties(BulletDouble::${part} PROPERTIES IMPORTED_LOCATION "${BulletDouble_${part}_LIBRARY}")
  endforeach()
  target_link_libraries(BulletDouble::BulletCollision INTERFACE BulletDouble::LinearMath)
  target_link_libraries(BulletDouble::BulletDynamics INTERFACE BulletDouble::BulletCollision)
  target_include_directories(BulletDouble::BulletDynamics INTERFACE "${BulletDouble_INCLUDE_DIR}")
  target_compile_definitions(BulletDouble::BulletDynamics INTERFACE BT_USE_DOUBLE_PRECISION)
endif()
