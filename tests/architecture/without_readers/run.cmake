# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source_dir= -D work_dir= -D compiler= -D sundials_dir= -P run.cmake
#
# Configures the library, its program and its tests as where neither urdfdom nor sdformat is: nothing of import is compiled.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work_dir})
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${source_dir} -B ${work_dir} -D CMAKE_CXX_COMPILER=${compiler} -D
          SUNDIALS_DIR=${sundials_dir} -D sunlagrange_WITH_IMPORT=OFF -D sunlagrange_BUILD_PYTHON=OFF COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${work_dir}/build.ninja compiled REGEX "^build [^ ]+\\.o: ")
if(NOT compiled MATCHES "/src/files/")
  message(FATAL_ERROR "build.ninja does not say what is compiled: ${work_dir}")
endif()
list(FILTER compiled INCLUDE REGEX "/import/|/import_[a-z]+_test\\.cpp")
if(compiled)
  message(FATAL_ERROR "compiled without a reader: ${compiled}")
endif()
