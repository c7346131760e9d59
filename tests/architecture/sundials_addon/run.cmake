# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source_dir= -D work_dir= -D compiler= -D include_dir= -P run.cmake
#
# Configures the library inside a source tree of SUNDIALS: it links the targets there, and its package files name the
# place where both are installed.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work_dir})
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work_dir} -D source_dir=${source_dir} -D
          include_dir=${include_dir} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_UNITY_BUILD=ON -D BUILD_SHARED_LIBS=ON -D
          CMAKE_INSTALL_PREFIX=/where/both/are -D CMAKE_INSTALL_LIBDIR=lib COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${work_dir}/build.ninja line REGEX "^build [^ ]*libsunlagrange[.]so[.0-9]*: ")
if(NOT line MATCHES "libsundials_cvodes_shared")
  message(FATAL_ERROR "the library does not link the SUNDIALS of its tree: ${line}")
endif()
file(GLOB_RECURSE package_file ${work_dir}/sunlagrange.pc)
file(STRINGS ${package_file} place REGEX "^sundials_libdir=")
if(NOT place STREQUAL "sundials_libdir=/where/both/are/lib")
  message(FATAL_ERROR "sunlagrange.pc names another place: ${place}")
endif()
