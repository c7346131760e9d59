# SPDX-License-Identifier: BSD-3-Clause
# Debian packages, one for each component that was built: `cmake --preset packages && cmake --build --preset packages &&
# cpack --config build/packages/CPackConfig.cmake`. What else they hold is written by PackageFiles.cmake.
set(sunlagrange_PACKAGE_CONTACT "The sunlagrange developers <noreply@example.org>"
    CACHE STRING "Maintainer of the Debian packages: who hands them out sets it")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The sunlagrange developers")
set(CPACK_PACKAGE_CONTACT ${sunlagrange_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

# debian_package(<component> <name> <section> <what it holds> DEPENDS <packages> COMPONENTS <component>...)
set(CPACK_COMPONENTS_ALL)
function(debian_package component name section summary)
  cmake_parse_arguments(PARSE_ARGV 4 arg "SHLIBDEPS" "DEPENDS" "COMPONENTS;TEXT")
  string(TOUPPER ${component} key)
  list(JOIN arg_TEXT "\n" text)
  foreach(setting "DEBIAN_${key}_PACKAGE_NAME=${name}" "DEBIAN_${key}_PACKAGE_SECTION=${section}"
                  "COMPONENT_${key}_DESCRIPTION=${text}\n.\n${summary}" "DEBIAN_${key}_PACKAGE_DEPENDS=${arg_DEPENDS}"
                  "DEBIAN_${key}_PACKAGE_SHLIBDEPS=${arg_SHLIBDEPS}")
    string(REGEX MATCH "^([^=]*)=(.*)" _ "${setting}")
    set(CPACK_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  endforeach()
  set(CPACK_COMPONENT_${key}_DEPENDS "${arg_COMPONENTS}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(about "Mechanisms with closed loops, redundant rows and singular poses, on CVODE,"
          "ARKODE and IDA of SUNDIALS: every ODE and DAE form, exact Newton matrices,"
          "and a report of what was done and kept.")
get_target_property(library_type sunlagrange TYPE)
set(library_component)
if(library_type STREQUAL SHARED_LIBRARY)
  set(library_name libsunlagrange${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
elseif(TARGET sunlagrange_c)
  set(library_name libsunlagrange-c1)
endif()
if(library_name)
  set(library_component library)
  debian_package(library ${library_name} libs "This package: the shared libraries." SHLIBDEPS
                 TEXT ${about})
  # for dpkg-shlibdeps of what is linked against them, and so that the linker finds them
  set(shlibs)
  foreach(target sunlagrange_c sunlagrange sunlagrange_stability sunlagrange_analysis sunlagrange_files sunlagrange_import)
    if(TARGET ${target})
      get_target_property(type ${target} TYPE)
      get_target_property(so_version ${target} SOVERSION)
      if(type STREQUAL SHARED_LIBRARY)
        string(APPEND shlibs "lib${target} ${so_version} ${library_name} (>= ${PROJECT_VERSION})\n")
      endif()
    endif()
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "${shlibs}")
  file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)
endif()
debian_package(development libsunlagrange-dev libdevel "This package: headers, archives, and what CMake and pkg-config find."
               DEPENDS "libsundials-dev (>= 6.4), libeigen3-dev (>= 3.4), libsuitesparse-dev"
               COMPONENTS ${library_component} TEXT ${about})
if(TARGET sunlagrange-program)
  debian_package(program sunlagrange math "This package: sunlagrange (runs, analyses) and sunlagrange-bench (compares)."
                 SHLIBDEPS TEXT ${about})
endif()
if(TARGET sunlagrange_python) # compiled for one version
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _ ${sunlagrange_python_version})
  math(EXPR next_python "${CMAKE_MATCH_2} + 1")
  string(PREPEND next_python ${CMAKE_MATCH_1}.)
  debian_package(python python3-sunlagrange python "This package: the Python package." SHLIBDEPS
                 DEPENDS "python3 (>= ${sunlagrange_python_version}), python3 (<< ${next_python}), python3-numpy" TEXT ${about})
endif()
debian_package(documentation sunlagrange-doc doc "This package: documents and examples." TEXT
               ${about})
if(TARGET sunlagrange_import)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "liburdfdom-dev, libsdformat-dev")
endif()
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_SUNLAGRANGE_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
