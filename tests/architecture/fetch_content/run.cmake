# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source_dir= -D work_dir= -D compiler= -D sundials_dir= [-D launcher=] [-D build=ON] -P run.cmake
#
# Configures the project in this folder, which takes the library by FetchContent; with `build`, builds it and runs its program.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work_dir})
execute_process(
  COMMAND
    ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work_dir} -D source_dir=${source_dir}
    -D examples=${source_dir}/examples -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D
    SUNDIALS_DIR=${sundials_dir} -D CMAKE_UNITY_BUILD=ON COMMAND_ERROR_IS_FATAL ANY)
if(build)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work_dir} --target fetched COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${work_dir}/fetched COMMAND_ERROR_IS_FATAL ANY)
endif()
