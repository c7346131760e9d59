# A registry is a list of lines MACRO(first argument, ...). The sources themselves are globbed; these functions make a
# line without a file an error at configure time. (A file without a line is found by tests/architecture.)

# check_registry(<list> <macro> <folder> <extension>): every entry has its file <folder>/<name><extension>.
# The name is the first argument; of ELEMENT(Type, domain/file, ...) and INTEGRATOR(name, file, ...) it is the second.
function(check_registry list macro folder extension)
  set(list_path ${PROJECT_SOURCE_DIR}/${list})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_path})
  file(READ ${list_path} text)
  if(macro MATCHES "ELEMENT|INTEGRATOR")
    set(entry "${macro}\\( *[A-Za-z0-9_<>]+ *, *([a-z0-9_/]+)")
  else()
    set(entry "${macro}\\( *([a-z0-9_]+)")
  endif()
  string(REGEX MATCHALL "(^|\n)${entry}" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*${entry}" "\\1" name "${line}")
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder}/${name}${extension})
      message(FATAL_ERROR "${list} lists ${name}, but there is no file ${folder}/${name}${extension}.\n"
                          "Add the file, or take the line out of ${list}.")
    endif()
  endforeach()
endfunction()
