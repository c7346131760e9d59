# SPDX-License-Identifier: BSD-3-Clause
vcpkg_download_distfile(
  archive
  URLS https://example.org/sunlagrange/sunlagrange-${VERSION}.tar.gz
  FILENAME sunlagrange-${VERSION}.tar.gz
  SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)
vcpkg_extract_source_archive(source ARCHIVE ${archive})

vcpkg_cmake_configure(
  SOURCE_PATH ${source}
  OPTIONS
    -Dsunlagrange_BUILD_TESTS=OFF
    -Dsunlagrange_BUILD_EXAMPLES=OFF
    -Dsunlagrange_BUILD_BENCHMARKS=OFF
    -Dsunlagrange_BUILD_PYTHON=OFF
    -Dsunlagrange_WITH_IMPORT=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sunlagrange)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
