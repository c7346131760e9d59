# SPDX-License-Identifier: BSD-3-Clause
# embed_files(<variable> <namespace> <file>...): sets <variable> to a generated source with the contents of the files as
# std::string_view <namespace>::<name>(), <name> being the file's with _ for . (uPlot.min.css: uPlot_min_css). Declare the
# functions where they are used. Written again when a file changes, at the next build.
function(embed_files variable namespace)
  set(code "// Written by cmake/EmbedFiles.cmake.\n#include <string_view>\n\nnamespace ${namespace} {\n")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    string(REPLACE "." "_" name ${name})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(REGEX REPLACE "(................................................................)" "\\1\"\n    \"" bytes
                         "${bytes}")
    file(SIZE ${file} size)
    string(APPEND code "
std::string_view ${name}();
std::string_view ${name}() {
  static constexpr char bytes[] =
    \"${bytes}\";
  return {bytes, ${size}};
}
")
  endforeach()
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" source "${namespace}")
  set(source ${PROJECT_BINARY_DIR}/embedded/${source}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${code}}  // namespace ${namespace}\n" @ONLY)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
