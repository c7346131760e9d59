# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source_dir= -D work_dir= -D compiler= -D sundials_dir= -D python= -P run.cmake
#
# Configures as pyproject.toml does for a wheel: module and program contain the libraries of SUNDIALS, if they are installed
# as archives, and need no search path of the linker; what it is made of, and nothing else, is installed for it.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${work_dir})
file(STRINGS ${source_dir}/pyproject.toml settings REGEX "^(CMAKE|sunlagrange)_[A-Z_]+ = \"[^\"]*\"")
list(TRANSFORM settings REPLACE "^([A-Za-z_]+) = \"([^\"]*)\".*" "-D;\\1=\\2")
if(NOT settings MATCHES "sunlagrange_STATIC_SUNDIALS=ON")
  message(FATAL_ERROR "pyproject.toml sets no static SUNDIALS: ${settings}")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${source_dir} -B ${work_dir} -D CMAKE_CXX_COMPILER=${compiler} -D
          SUNDIALS_DIR=${sundials_dir} -D Python3_EXECUTABLE=${python} ${settings} COMMAND_ERROR_IS_FATAL ANY)

file(STRINGS ${work_dir}/build.ninja lines REGEX "^build (python/sunlagrange/_core|apps/sunlagrange:)")
list(LENGTH lines linked)
if(NOT linked EQUAL 2)
  message(FATAL_ERROR "build.ninja does not link a module and a program: ${lines}")
endif()
file(READ ${sundials_dir}/SUNDIALSTargets.cmake targets)
if(targets MATCHES "SUNDIALS::cvodes_static" AND (lines MATCHES "libsundials_[a-z]+\\.so" OR NOT lines MATCHES "libsundials_cvodes\\.a"))
  message(FATAL_ERROR "a wheel needs shared libraries of SUNDIALS: ${lines}")
endif()
if(lines MATCHES "libklu|libfmt|libmpi_cxx")
  message(FATAL_ERROR "a wheel needs a library that it does not contain: ${CMAKE_MATCH_0}")
endif()
file(READ ${work_dir}/bindings/python/cmake_install.cmake install)
if(NOT install MATCHES "RPATH \"\"" OR install MATCHES "( |NEW_)RPATH \"[^\"]+\"") # OLD_RPATH is that of the build
  message(FATAL_ERROR "the module of a wheel has a search path of the linker")
endif()
foreach(file py.typed __init__.pyi /mechanisms __init__.py _core /apps/sunlagrange)
  if(NOT install MATCHES "INSTALL_PREFIX}/\\./sunlagrange(/bin)?\"[^)]*${file}")
    message(FATAL_ERROR "${file} is not installed beside the module")
  endif()
endforeach()
