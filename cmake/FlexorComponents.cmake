# The components of the library, and which needs which of the others. Read by the build and, installed, by the package file.
# In this order each comes after what it needs. `flexor` is the umbrella: what an engine that also reads files wants.
set(flexor_components deform io pose measure flexor render bake)
set(flexor_deform_needs "")
set(flexor_io_needs deform)
set(flexor_pose_needs deform)
set(flexor_measure_needs deform)
set(flexor_flexor_needs deform io pose measure)
set(flexor_render_needs deform)
set(flexor_bake_needs ${flexor_flexor_needs} flexor) # and render, where it was built

# flexor_close_over(LIST): adds to the components in the variable LIST what they need, and puts them in order.
function(flexor_close_over list)
  set(wanted ${${list}})
  foreach(component IN LISTS ${list})
    if(NOT "${component}" IN_LIST flexor_components)
      continue()
    endif()
    list(APPEND wanted ${flexor_${component}_needs})
  endforeach()
  set(ordered "")
  foreach(component IN LISTS flexor_components)
    if("${component}" IN_LIST wanted)
      list(APPEND ordered ${component})
    endif()
  endforeach()
  set(${list} ${ordered} PARENT_SCOPE)
endfunction()
