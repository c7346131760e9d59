# SPDX-License-Identifier: BSD-3-Clause
# cmake -D build_dir= -D config= -D examples= -D work_dir= -D compiler= -D flags= -D sundials_dir= [-D c_compiler=] -P run.cmake
#
# Installs the library of build_dir into an empty prefix, then builds and runs programs against that prefix twice: as the
# CMake project in this folder, and with nothing but the compiler and pkg-config. From `examples`: pendulum.cpp,
# own_cvode.cpp, an application that includes cvode/cvode.h, and proved_gains.cpp, which needs sunlagrange_stability;
# and, with a C compiler, cvode_pendulum.c; from here: one that uses CVODES and IDAS. Then the commands of the installed tutorial, with the installed examples.
cmake_minimum_required(VERSION 3.22)

function(run)
  list(JOIN ARGN " " text)
  message(STATUS "${text}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${work_dir})
file(MAKE_DIRECTORY ${work_dir}/project)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt DESTINATION ${work_dir}/project)
configure_file(${examples}/pendulum.cpp ${work_dir}/project/main.cpp COPYONLY)
configure_file(${examples}/own_cvode.cpp ${work_dir}/project/own_cvode.cpp COPYONLY)
configure_file(${examples}/proved_gains.cpp ${work_dir}/project/proved_gains.cpp COPYONLY)
configure_file(${examples}/cvode_pendulum.c ${work_dir}/project/c_program.c COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sensitivities.cpp ${work_dir}/project/sensitivities.cpp COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/formats.cpp ${work_dir}/project/formats.cpp COPYONLY)

include(${examples}/../cmake/VersionFromHeader.cmake)
version_from_header(${examples}/../include/sunlagrange/version.hpp version)
run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix} --config "${config}")

# ---- CMake -----------------------------------------------------------------------------------------------------------
run(${CMAKE_COMMAND} -S ${work_dir}/project -B ${work_dir}/build -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_CXX_COMPILER=${compiler} "-DCMAKE_CXX_FLAGS=${flags} -Wall -Wextra -Werror"
    -D CMAKE_PREFIX_PATH=${prefix} -D SUNDIALS_DIR=${sundials_dir} -D version=${version})
run(${CMAKE_COMMAND} --build ${work_dir}/build --config Release)
foreach(program consumer own_cvode sensitivities_first sensitivities_last sensitivities_unnamed)
  run(${work_dir}/build/${program})
endforeach()

if(EXISTS ${prefix}/include/sunlagrange/sunlagrange_c.h)
  run(${work_dir}/build/c_program)
endif()
file(GLOB_RECURSE import_targets ${prefix}/*/sunlagrangeImportTargets.cmake)
if(import_targets)
  run(${work_dir}/build/formats)
endif()

# ---- tutorial: its blocks of commands, one after the other, and what they write ----------------------------------------
file(GLOB_RECURSE tutorial ${prefix}/*/tutorial.md)
set(ENV{PREFIX} ${prefix})
set(ENV{CXX} ${compiler})
set(ENV{CXXFLAGS} ${flags})
set(ENV{SUNDIALS_DIR} ${sundials_dir})
run(${CMAKE_CURRENT_LIST_DIR}/tutorial.sh ${tutorial} ${work_dir})
get_filename_component(documents ${tutorial} DIRECTORY)
run(python3 ${examples}/../scripts/check_links.py ${documents})
foreach(program sunlagrange sunlagrange-bench)
  if(EXISTS ${prefix}/bin/${program} AND NOT EXISTS ${prefix}/share/man/man1/${program}.1)
    message(FATAL_ERROR "the manual page of ${program} is not installed")
  endif()
endforeach()

# ---- pkg-config ------------------------------------------------------------------------------------------------------
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(FATAL_ERROR "pkg-config is needed to test sunlagrange.pc")
endif()
file(GLOB_RECURSE pc_file ${prefix}/*/sunlagrange.pc)
get_filename_component(pc_dir ${pc_file} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}:$ENV{PKG_CONFIG_PATH}")

function(pkg_config out)
  execute_process(
    COMMAND ${PKG_CONFIG} ${ARGN}
    OUTPUT_VARIABLE text
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${out} ${text} PARENT_SCOPE)
endfunction()

pkg_config(arguments --cflags --libs sunlagrange)
pkg_config(libdir --variable=libdir sunlagrange)
pkg_config(sundials_libdir --variable=sundials_libdir sunlagrange)
separate_arguments(flags UNIX_COMMAND "${flags}")
set(rpath -Wl,-rpath,${libdir} -Wl,-rpath,${sundials_libdir})
pkg_config(cflags --cflags sunlagrange)
run(${compiler} ${flags} ${cflags} -std=c++17 -O1 -c ${work_dir}/project/main.cpp -o ${work_dir}/main.o)
run(${compiler} ${flags} ${work_dir}/main.o ${arguments} ${rpath} -o ${work_dir}/consumer_by_pkg_config)
run(${work_dir}/consumer_by_pkg_config)

# The library of proofs has a file of its own, which brings the other.
pkg_config(arguments --cflags --libs sunlagrange_stability)
run(${compiler} -std=c++17 -O1 ${flags} ${work_dir}/project/proved_gains.cpp ${arguments} ${rpath}
    -o ${work_dir}/stability_by_pkg_config)
run(${work_dir}/stability_by_pkg_config)

pkg_config(libs --libs sunlagrange)
run(${compiler} -std=c++17 -O1 ${flags} ${cflags} -c ${work_dir}/project/sensitivities.cpp
    -o ${work_dir}/sensitivities.o)
set(named -L${sundials_libdir} -lsundials_cvodes -lsundials_idas)
run(${compiler} ${flags} ${work_dir}/sensitivities.o ${libs} ${named} ${rpath} -o ${work_dir}/sensitivities_last)
run(${compiler} ${flags} ${work_dir}/sensitivities.o ${named} ${libs} ${rpath} -o ${work_dir}/sensitivities_first)
run(${work_dir}/sensitivities_last)
run(${work_dir}/sensitivities_first)

# A program whose linker is not that of C++: --static names the runtime.
if(c_compiler)
  pkg_config(arguments --static --libs sunlagrange)
  run(${c_compiler} ${flags} ${work_dir}/main.o ${arguments} ${rpath} -o ${work_dir}/linked_by_c)
  run(${work_dir}/linked_by_c)
endif()

# In C, with a C compiler that knows nothing of C++: the shared library, and the archives with what --static names.
if(EXISTS ${prefix}/include/sunlagrange/sunlagrange_c.h)
  set(c_compile ${c_compiler} -std=c99 -pedantic -Wall -Wextra -Werror ${flags} ${work_dir}/project/c_program.c)
  pkg_config(arguments --cflags --libs sunlagrange_c)
  run(${c_compile} ${arguments} ${rpath} -o ${work_dir}/c_by_pkg_config)
  run(${work_dir}/c_by_pkg_config)
  pkg_config(arguments --static --cflags --libs sunlagrange_c)
  list(TRANSFORM arguments REPLACE "^-lsunlagrange_c$" "-l:libsunlagrange_c.a")
  run(${c_compile} ${arguments} ${rpath} -o ${work_dir}/c_by_pkg_config_static)
  run(${work_dir}/c_by_pkg_config_static)
endif()
