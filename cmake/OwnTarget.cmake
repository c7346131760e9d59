# SPDX-License-Identifier: BSD-3-Clause
# own_target(<target>): the language level and the warnings of everything in this repository.
function(own_target target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(sunlagrange_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# one_unit_per_folder(<source>...): with CMAKE_UNITY_BUILD (on in the presets) a folder compiles as one unit, so names in
# anonymous namespaces are unique within a folder. Files that take long by themselves stay apart.
function(one_unit_per_folder)
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME)
    if(name MATCHES "^((decompositions|singular_values|command)|.*_types)\\.cpp$")
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# inner_loops(TARGET <target> | <source>...): the loops that decide the time of a run. The release preset compiles with
# -O2, a fifth cheaper than -O3, and these with -O3.
function(inner_loops)
  if(ARGV0 STREQUAL TARGET)
    target_compile_options(${ARGV1} PRIVATE $<$<CONFIG:Release>:-O3>)
  else()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# few_loops(<target>): it reads arguments and writes tables, and decides no run's time. The release preset compiles it with
# -O1, in two thirds of the time of -O2.
function(few_loops target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# manual_page(<program>): after its build, the program writes <its file name>.1 beside itself, and it is installed.
function(manual_page program)
  set(page $<TARGET_FILE_DIR:${program}>/$<TARGET_FILE_NAME:${program}>.1)
  add_custom_command(
    TARGET ${program}
    POST_BUILD
    COMMAND ${program} --man > ${page}
    VERBATIM)
  install(TARGETS ${program} OPTIONAL COMPONENT program)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
endfunction()
