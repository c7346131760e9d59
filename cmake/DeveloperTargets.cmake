# SPDX-License-Identifier: BSD-3-Clause
# format, format-check, tidy: present when the tools are. tables: those of docs/formulations.md and examples/README.md.

file(GLOB_RECURSE all_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp ${PROJECT_SOURCE_DIR}/src/*.[ch]pp
     ${PROJECT_SOURCE_DIR}/examples/*.[ch]pp ${PROJECT_SOURCE_DIR}/apps/*.[ch]pp ${PROJECT_SOURCE_DIR}/benchmarks/*.[ch]pp
     ${PROJECT_SOURCE_DIR}/bindings/*.[ch]pp
     ${PROJECT_SOURCE_DIR}/tests/*.[ch]pp ${PROJECT_SOURCE_DIR}/bindings/c/*.h ${PROJECT_SOURCE_DIR}/examples/*.c)

find_program(CLANG_FORMAT clang-format)
if(CLANG_FORMAT)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i --style=file ${all_files} VERBATIM)
  add_custom_target(format-check COMMAND ${CLANG_FORMAT} --dry-run -Werror --style=file ${all_files} VERBATIM)
endif()

# Own headers are seen through the sources that include them (HeaderFilterRegex in .clang-tidy).
find_program(RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/src/ VERBATIM)
endif()
mark_as_advanced(CLANG_FORMAT RUN_CLANG_TIDY)

if(TARGET sunlagrange-program)
  add_custom_target(tables COMMAND ${PROJECT_SOURCE_DIR}/scripts/tables.sh $<TARGET_FILE:sunlagrange-program> VERBATIM)
endif()
