# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source_dir= -D work_dir= -P run.cmake
#
# Configures against made-up SUNDIALS packages: which versions and precisions are taken, and what is said of the others.
cmake_minimum_required(VERSION 3.22)

# expect(<version> <precision> <part of the message>); the message is empty if the package is to be taken
function(expect version precision message)
  set(package ${work_dir}/${version}-${precision})
  file(REMOVE_RECURSE ${package})
  file(WRITE ${package}/include/sundials/sundials_config.h "#define SUNDIALS_${precision}_PRECISION 1\n")
  file(WRITE ${package}/SUNDIALSConfigVersion.cmake "set(PACKAGE_VERSION ${version})\n")
  file(WRITE ${package}/SUNDIALSConfig.cmake
       "add_library(SUNDIALS::cvodes_shared INTERFACE IMPORTED)
set_target_properties(SUNDIALS::cvodes_shared PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${package}/include)
add_library(SUNDIALS::cvodes INTERFACE IMPORTED)
target_link_libraries(SUNDIALS::cvodes INTERFACE SUNDIALS::cvodes_shared)\n")
  file(WRITE ${package}/project/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.22)
project(dependencies LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH ${source_dir}/cmake)
include(Dependencies)\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${package}/project -B ${package}/build -D SUNDIALS_DIR=${package}
    RESULT_VARIABLE result
    OUTPUT_VARIABLE text
    ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}") # CMake breaks lines
  if(message STREQUAL "")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "SUNDIALS ${version}, ${precision}, was refused: ${text}")
    endif()
  elseif(result EQUAL 0)
    message(FATAL_ERROR "SUNDIALS ${version}, ${precision}, was taken")
  elseif(NOT text MATCHES "${message}")
    message(FATAL_ERROR "SUNDIALS ${version}, ${precision}: \"${message}\" is not in the message: ${text}")
  endif()
endfunction()

expect(6.4.1 DOUBLE "")
expect(7.1.0 DOUBLE "")
expect(7.5.0 DOUBLE "")
expect(6.3.0 DOUBLE "6.4 to 6.7 or 7.1 to 7.x is needed")
expect(7.0.0 DOUBLE "7.0 lacks the functions ARKodeX")
expect(8.0.0 DOUBLE "6.4 to 6.7 or 7.1 to 7.x is needed")
expect(7.5.0 SINGLE "without double precision")
expect(7.5.0 EXTENDED "without double precision")
