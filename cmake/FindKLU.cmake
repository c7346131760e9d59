# SPDX-License-Identifier: BSD-3-Clause
#[[
KLU of SuiteSparse, with the libraries it needs.

Target    KLU::KLU
Variables KLU_FOUND, KLU_VERSION, KLU_INCLUDE_DIR, KLU_LIBRARIES (klu first, in link order)
Hint      CMAKE_PREFIX_PATH or KLU_ROOT

Installed beside sunlagrangeConfig.cmake: a program that links the static library has to find KLU as well.
]]
include(FindPackageHandleStandardArgs)

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES)
set(_klu_library_variables)
foreach(_klu_name klu btf amd colamd suitesparseconfig)
  find_library(KLU_${_klu_name}_LIBRARY ${_klu_name})
  mark_as_advanced(KLU_${_klu_name}_LIBRARY)
  list(APPEND _klu_library_variables KLU_${_klu_name}_LIBRARY)
  list(APPEND KLU_LIBRARIES ${KLU_${_klu_name}_LIBRARY})
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

if(KLU_INCLUDE_DIR)
  file(READ ${KLU_INCLUDE_DIR}/klu.h _klu_header)
  set(_klu_parts)
  foreach(_klu_part MAIN SUB SUBSUB)
    if(_klu_header MATCHES "#define KLU_${_klu_part}_VERSION ([0-9]+)")
      list(APPEND _klu_parts ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN _klu_parts . KLU_VERSION)
endif()

find_package_handle_standard_args(
  KLU
  REQUIRED_VARS ${_klu_library_variables} KLU_INCLUDE_DIR
  VERSION_VAR KLU_VERSION)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  target_include_directories(KLU::KLU INTERFACE ${KLU_INCLUDE_DIR})
  target_link_libraries(KLU::KLU INTERFACE ${KLU_LIBRARIES})
endif()
