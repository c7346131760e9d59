# SPDX-License-Identifier: BSD-3-Clause
# version_from_header(<header> <out>): MAJOR.MINOR.PATCH from the three #define lines of <header>.
function(version_from_header header out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  foreach(part MAJOR MINOR PATCH)
    if(NOT text MATCHES "#define SUNLAGRANGE_VERSION_${part} ([0-9]+)")
      message(FATAL_ERROR "${header} does not define SUNLAGRANGE_VERSION_${part}")
    endif()
    list(APPEND parts ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN parts . version)
  set(${out} ${version} PARENT_SCOPE)
endfunction()
