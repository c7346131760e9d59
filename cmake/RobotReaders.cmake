# SPDX-License-Identifier: BSD-3-Clause
# Finds the libraries that read robot descriptions. sdformat has its major version in its name.
#
# import_packages   packages for find_dependency() of the installed package file
# import_targets    targets to link
# with_urdf, with_sdformat   1 or 0
# absent_readers    folders of src/import that are not compiled
set(import_packages)
set(import_targets)
set(absent_readers)

# urdfdom writes its messages through console_bridge, whose output the reader of URDF takes.
find_package(urdfdom QUIET)
find_package(console_bridge QUIET)
if(TARGET urdfdom::urdfdom_model AND TARGET console_bridge::console_bridge)
  set(with_urdf 1)
  list(APPEND import_packages urdfdom console_bridge)
  list(APPEND import_targets urdfdom::urdfdom_model console_bridge::console_bridge)
else()
  set(with_urdf 0)
  list(APPEND absent_readers urdf)
endif()

set(with_sdformat 0)
foreach(name sdformat16 sdformat15 sdformat14 sdformat13 sdformat12)
  find_package(${name} QUIET)
  if(TARGET ${name}::${name})
    set(with_sdformat 1)
    list(APPEND import_packages ${name})
    list(APPEND import_targets ${name}::${name})
    break()
  endif()
endforeach()
if(NOT with_sdformat)
  list(APPEND absent_readers sdformat)
endif()
