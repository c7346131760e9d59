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

# instantiate_elements(<variable>): the library compiles the element types whose headers say so, in a line of its own:
#   extern template struct internal::ElementType<Type>;
# Sets <variable> to the sources that do it, one for each domain. A type of the catalogue without this line is an error.
function(instantiate_elements variable)
  set(headers ${PROJECT_SOURCE_DIR}/include/sunlagrange/elements)
  file(READ ${headers}/elements.inc catalogue)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${headers} ${headers}/*/*.hpp)
  set(domains)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers}/${file})
    file(READ ${headers}/${file} text)
    string(REPLACE ".hpp" "" entry ${file})
    string(REGEX MATCHALL "ELEMENT\\([A-Za-z0-9_<>]+, ${entry}," types "${catalogue}")
    foreach(type IN LISTS types)
      string(REGEX REPLACE "ELEMENT\\((.+), .*" "\\1" type "${type}")
      string(FIND "${text}" "\nextern template struct internal::ElementType<${type}>;" place)
      if(place EQUAL -1)
        message(FATAL_ERROR "${file} must say, after the element, that the library compiles it:\n"
                            "extern template struct internal::ElementType<${type}>;")
      endif()
    endforeach()
    string(REGEX MATCHALL "\nextern template struct internal::ElementType<[^;\n]+>" lines "${text}")
    if(lines)
      get_filename_component(domain ${file} DIRECTORY)
      list(APPEND domains ${domain})
      string(APPEND includes_${domain} "#include <sunlagrange/elements/${file}>\n")
      string(REPLACE "\nextern template struct internal::" "template struct " lines "${lines}")
      foreach(line IN LISTS lines)
        string(APPEND instances_${domain} "${line};\n")
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES domains)
  set(sources)
  foreach(domain IN LISTS domains)
    set(source ${PROJECT_BINARY_DIR}/elements/${domain}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY
         CONTENT "// Written by cmake/Registries.cmake.\n#include <sunlagrange/derivatives/adapt.hpp>\n${includes_${domain}}
namespace sunlagrange::internal {
${instances_${domain}}}  // namespace sunlagrange::internal\n")
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
