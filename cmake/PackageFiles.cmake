# SPDX-License-Identifier: BSD-3-Clause
# What Debian wants in packages and an install does not bring: read by CPack when the files of all components are staged.
find_program(GZIP gzip REQUIRED)
find_program(STRIP strip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  set(name ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(staged ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(about ${staged}/share/doc/${name})
  file(READ ${CPACK_SUNLAGRANGE_SOURCE}/LICENSE license)
  file(READ ${CPACK_SUNLAGRANGE_SOURCE}/third_party/uplot/LICENSE uplot)
  file(WRITE ${about}/copyright "sunlagrange\n\n${license}\nThe pages that it writes hold uPlot:\n\n${uplot}")
  file(WRITE ${about}/changelog.Debian "sunlagrange (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; "
       "urgency=medium\n\n  * Release ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of sunlagrange-doc says what is new.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB_RECURSE pages ${staged}/share/man/*.1)
  execute_process(COMMAND ${GZIP} -9n ${about}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE archives ${staged}/*.a)
  foreach(archive IN LISTS archives)
    execute_process(COMMAND ${STRIP} --strip-debug --remove-section=.comment --enable-deterministic-archives ${archive}
                            COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
