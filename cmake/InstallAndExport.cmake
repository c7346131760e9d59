# SPDX-License-Identifier: BSD-3-Clause
# Installed: the libraries, their headers, a CMake package, a pkg-config file for each, documents, examples with a project of
# their own, and the programs with their manual pages where they were built (manual_page). Mechanisms and tests are not.
# Components, each of which is a Debian package (Packages.cmake): library, development, program, python, documentation.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(shared_apart LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS sunlagrange sunlagrange_stability sunlagrange_analysis EXPORT sunlagrangeTargets ${shared_apart})
if(TARGET sunlagrange_files)
  install(TARGETS sunlagrange_files EXPORT sunlagrangeTargets ${shared_apart})
  install(FILES docs/mechanism.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sunlagrange)
endif()
if(TARGET sunlagrange_import) # apart from the others: who does not ask for it needs no urdfdom
  install(TARGETS sunlagrange_import EXPORT sunlagrangeImportTargets ${shared_apart})
endif()
if(TARGET sunlagrange_c)
  install(TARGETS sunlagrange_c sunlagrange_c_static EXPORT sunlagrangeTargets ${shared_apart})
  install(DIRECTORY bindings/c/include/sunlagrange DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(
  DIRECTORY include/sunlagrange
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "*.inc")
# What lies in docs/ here lies beside the README there: references are written anew. Mechanisms and sources are not installed.
function(install_document file folder docs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  string(REGEX REPLACE "([\"`([])docs/" "\\1${docs}" text "${text}")
  string(REGEX REPLACE "[[]([a-z0-9_]+)[]][(]mechanisms/[a-z0-9_]+[.]cpp[)]" "\\1" text "${text}")
  string(REGEX REPLACE "[[]([^][]*)[]][(]([.][.]/)*(src|include|tests|apps|benchmarks|scripts|examples/mechanisms|CONTRIBUTING)[^)]*[)]"
                       "\\1" text "${text}")
  if(file MATCHES "^docs/[^/]*$")
    string(REPLACE "](../" "](" text "${text}")
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/installed_documents/${file} "${text}")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed_documents/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}${folder}
          COMPONENT documentation)
endfunction()
foreach(
  file
  README.md
  INSTALL.md
  CHANGELOG.md
  docs/analyses.md
  docs/assembly.md
  docs/attaching.md
  docs/commands.md
  docs/doubts.md
  docs/formulations.md
  docs/gallery.md
  docs/limits.md
  docs/options.md
  docs/glossary.md
  docs/tutorial.md
  docs/stepping.md
  docs/robots.md
  docs/troubleshooting.md
  docs/coming-from-ida.md
  docs/coming-from-drake.md
  docs/model-files.md
  docs/figures.md
  docs/architecture.md
  docs/errata.md
  docs/paper-to-code.md)
  install_document(${file} "" "")
endforeach()
file(GLOB theory_pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS docs/theory/*.md)
foreach(file ${theory_pages})
  install_document(${file} /theory ../)
endforeach()
file(GLOB element_pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS docs/elements/*.md)
foreach(file ${element_pages})
  install_document(${file} /elements ../)
endforeach()
file(GLOB answers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS docs/answers/*.md)
foreach(file ${answers})
  install_document(${file} /answers ../)
endforeach()
if(TARGET sunlagrange_c)
  install_document(docs/c.md "" "")
endif()
install(FILES LICENSE CITATION.cff docs/architecture.svg docs/mechanism.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs/decisions docs/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(
  DIRECTORY examples/
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  COMPONENT documentation
  FILES_MATCHING
  PATTERN "*.cpp"
  PATTERN "*.c"
  PATTERN "*.py"
  PATTERN "*.json"
  PATTERN "installed" EXCLUDE
  PATTERN "mechanisms" EXCLUDE)
install(FILES examples/installed/CMakeLists.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT documentation)
install_document(examples/README.md /examples ../)
install(FILES third_party/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.uPlot COMPONENT documentation) # inside the library

# ---- CMake package ---------------------------------------------------------------------------------------------------

get_target_property(library_type sunlagrange TYPE)
set(links_klu_by_itself OFF)
if(KLU_FOUND AND library_type STREQUAL "STATIC_LIBRARY")
  set(links_klu_by_itself ON)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sunlagrange)
install(EXPORT sunlagrangeTargets NAMESPACE sunlagrange:: DESTINATION ${package_dir})
if(TARGET sunlagrange_import)
  install(EXPORT sunlagrangeImportTargets NAMESPACE sunlagrange:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/sunlagrangeConfig.cmake.in sunlagrangeConfig.cmake INSTALL_DESTINATION
                              ${package_dir})
write_basic_package_version_file(sunlagrangeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sunlagrangeConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sunlagrangeConfigVersion.cmake cmake/FindKLU.cmake
        DESTINATION ${package_dir})

# ---- pkg-config ------------------------------------------------------------------------------------------------------

# SUNDIALS and SuiteSparse 5 ship no .pc files, so their link lines are written out.
set(pc_sundials "-lsundials_arkode -lsundials_cvodes -lsundials_idas -lsundials_nvecserial")
if(TARGET SUNDIALS::core)
  string(APPEND pc_sundials " -lsundials_core")
endif()
if(sundials_with_mpi)
  list(APPEND sundials_include_dirs ${MPI_C_INCLUDE_DIRS})
  foreach(library IN LISTS MPI_C_LIBRARIES)
    string(APPEND pc_sundials " ${library}")
  endforeach()
endif()
list(TRANSFORM sundials_include_dirs PREPEND -I)
list(JOIN sundials_include_dirs " " pc_sundials_cflags)

set(pc_klu)
if(KLU_FOUND)
  list(GET KLU_LIBRARIES 0 klu_library)
  get_filename_component(klu_library_dir ${klu_library} DIRECTORY)
  set(pc_klu "-L${klu_library_dir} -lklu -lbtf -lamd -lcolamd -lsuitesparseconfig")
endif()
if(links_klu_by_itself)
  set(pc_libs_of_static " ${pc_klu}")
else()
  set(pc_libs_of_static)
endif()

# What a C compiler does not link by itself: pkg-config --static.
set(pc_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER pc_cxx_runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|supc\\+\\+)$")
list(REMOVE_DUPLICATES pc_cxx_runtime)
list(TRANSFORM pc_cxx_runtime PREPEND -l)
list(JOIN pc_cxx_runtime " " pc_cxx_runtime)

cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
if(libdir_is_absolute)
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  set(pc_prefix "\${pcfiledir}/${up}") # stays right when `cmake --install` is given another prefix
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

configure_file(sunlagrange_stability.pc.in sunlagrange_stability.pc @ONLY)
configure_file(sunlagrange_files.pc.in sunlagrange_files.pc @ONLY)
configure_file(sunlagrange_analysis.pc.in sunlagrange_analysis.pc @ONLY)
foreach(name sunlagrange sunlagrange_c)
  configure_file(${name}.pc.in ${name}.pc.generate @ONLY)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc INPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc.generate)
endforeach()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sunlagrange.pc ${CMAKE_CURRENT_BINARY_DIR}/sunlagrange_stability.pc
              ${CMAKE_CURRENT_BINARY_DIR}/sunlagrange_analysis.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET sunlagrange_files)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sunlagrange_files.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET sunlagrange_c)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sunlagrange_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
