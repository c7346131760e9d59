#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/sundials_source.sh [--record] DIRECTORY|VERSION [CTEST ARGUMENT...]
#
# Builds the SUNDIALS whose source is in DIRECTORY, then everything here against it with warnings as errors, and runs the
# tests, e.g. `scripts/sundials_source.sh ~/sundials-7.5.0 -R unit`. Both builds stay in build/sundials/<name of DIRECTORY>.
# The source of a VERSION, e.g. 7.5.0, is fetched from the repository of SUNDIALS. --record: as for scripts/test.sh.
set -euo pipefail

record=false
if [[ "${1:-}" == --record ]]; then
  record=true
  shift
fi
version=
if [[ "${1:-}" =~ ^[67]\.[0-9]+\.[0-9]+$ ]]; then
  version=$1
elif [[ $# -lt 1 || ! -f "$1/include/cvodes/cvodes.h" ]]; then
  echo "usage: scripts/sundials_source.sh [--record] DIRECTORY|VERSION [CTEST ARGUMENT...], DIRECTORY with the source of SUNDIALS" >&2
  exit 2
fi
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
if [[ -n $version ]]; then
  cd "$(dirname "$0")/.."
  scripts/install_dependencies.sh
  source=$PWD/build/sundials/source-$version
  if [[ ! -d $source ]]; then
    git clone -q --depth 1 --branch "v$version" https://github.com/LLNL/sundials "$source"
  fi
else
  source=$(cd "$1" && pwd)
  cd "$(dirname "$0")/.."
fi
shift
build=$PWD/build/sundials/$(basename "$source")

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}"
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
fi
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

cmake -S "$source" -B "$build/sundials" -G Ninja -D CMAKE_BUILD_TYPE=Release --log-level=WARNING \
  -D CMAKE_INSTALL_PREFIX="$build/prefix" -D CMAKE_INSTALL_LIBDIR=lib -D BUILD_STATIC_LIBS=OFF \
  -D EXAMPLES_ENABLE_C=OFF -D EXAMPLES_ENABLE_CXX=OFF -D EXAMPLES_INSTALL=OFF
cmake --build "$build/sundials" --parallel "$jobs"
cmake --install "$build/sundials" >/dev/null

# programs of other projects, and Python, find the libraries by this alone
export LD_LIBRARY_PATH="$build/prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

cmake --preset dev -B "$build/sunlagrange" -D SUNDIALS_DIR="$build/prefix/lib/cmake/sundials"
cmake --build "$build/sunlagrange" --parallel "$jobs"
code=0
ctest --test-dir "$build/sunlagrange" --output-on-failure --no-tests=error --parallel "$jobs" -LE slow "$@" || code=$?
if [[ $record == true ]]; then scripts/record_versions.py "$build/sunlagrange"; fi
exit "$code"
