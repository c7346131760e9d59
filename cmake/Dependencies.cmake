# SPDX-License-Identifier: BSD-3-Clause
# What the library itself needs. Tests, examples and benchmarks look for their own packages.

# CVODES and IDAS, which contain CVODE and IDA under the same names: with CVODE and IDA in this place, an application that
# links CVODES behind the library would have half of both. No version in the call: some 7.x packages refuse a request for
# 6.4, because the major version differs.
if(sundialslib_VERSION) # an add-on in the source tree of SUNDIALS, which has set this (INSTALL.md)
  set(SUNDIALS_VERSION ${sundialslib_VERSION})
  set(SUNDIALS_VERSION_MAJOR ${PACKAGE_VERSION_MAJOR})
  set(SUNDIALS_DIR ${CMAKE_SOURCE_DIR})
  set(sundials_precision ${SUNDIALS_PRECISION})
  set(sundials_include_dirs ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  set(sundials_library_dir ${CMAKE_INSTALL_FULL_LIBDIR})
else()
  find_package(SUNDIALS REQUIRED COMPONENTS cvodes idas arkode kinsol nvecserial)
  get_target_property(sundials_cvodes SUNDIALS::cvodes INTERFACE_LINK_LIBRARIES) # cvodes -> cvodes_shared or _static
  list(GET sundials_cvodes 0 sundials_cvodes)
  set(sundials_library_dir $<TARGET_LINKER_FILE_DIR:${sundials_cvodes}>)
  get_target_property(sundials_include_dirs ${sundials_cvodes} INTERFACE_INCLUDE_DIRECTORIES)
  find_file(sundials_config_header sundials/sundials_config.h PATHS ${sundials_include_dirs} NO_DEFAULT_PATH NO_CACHE)
  file(STRINGS ${sundials_config_header} sundials_precision REGEX "^#define SUNDIALS_[A-Z]+_PRECISION")
endif()
if(SUNDIALS_VERSION VERSION_LESS 6.4 OR SUNDIALS_VERSION VERSION_GREATER_EQUAL 8
   OR (SUNDIALS_VERSION VERSION_GREATER_EQUAL 7.0 AND SUNDIALS_VERSION VERSION_LESS 7.1))
  message(FATAL_ERROR "SUNDIALS ${SUNDIALS_VERSION} in ${SUNDIALS_DIR}: 6.4 to 6.7 or 7.1 to 7.x is needed (7.0 lacks "
                      "the functions ARKodeX); set SUNDIALS_DIR or CMAKE_PREFIX_PATH to choose another one.")
endif()
if(NOT sundials_precision MATCHES "DOUBLE")
  message(FATAL_ERROR "SUNDIALS ${SUNDIALS_VERSION} in ${SUNDIALS_DIR} is built without double precision "
                      "(${sundials_precision}); set SUNDIALS_DIR to one configured with SUNDIALS_PRECISION=double.")
endif()

if(TARGET MPI::MPI_C)
  set(sundials_with_mpi ON)
else()
  set(sundials_with_mpi OFF)
endif()

# sundials_libraries(<variable> <library>...): the targets of those that this SUNDIALS has (core: from 7 on).
function(sundials_libraries variable)
  set(targets)
  foreach(library IN LISTS ARGN)
    if(sunlagrange_STATIC_SUNDIALS AND TARGET SUNDIALS::${library}_static)
      list(APPEND targets SUNDIALS::${library}_static)
      # where both kinds are installed, the archives of 7.x ask for the shared core
      get_target_property(needed SUNDIALS::${library}_static INTERFACE_LINK_LIBRARIES)
      string(REGEX REPLACE "(SUNDIALS::[a-z]+)_shared" "\\1_static" needed "${needed}")
      set_property(TARGET SUNDIALS::${library}_static PROPERTY INTERFACE_LINK_LIBRARIES "${needed}")
    elseif(TARGET SUNDIALS::${library})
      list(APPEND targets SUNDIALS::${library})
    endif()
  endforeach()
  set(${variable} ${targets} PARENT_SCOPE)
endfunction()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)

set(KLU_FOUND OFF)
if(sunlagrange_WITH_KLU)
  find_package(KLU)
endif()
