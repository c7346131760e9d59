#!/usr/bin/env bash
# scripts/sundials_source.sh DIRECTORY [CTEST ARGUMENT...]
#
# Builds the SUNDIALS whose source is in DIRECTORY, then everything here against it with warnings as errors, and runs the
# tests, e.g. `scripts/sundials_source.sh ~/sundials-7.5.0 -R unit`. Both builds stay in build/sundials/<name of DIRECTORY>.
set -euo pipefail

if [[ $# -lt 1 || ! -f "$1/include/cvodes/cvodes.h" ]]; then
  echo "usage: scripts/sundials_source.sh DIRECTORY [CTEST ARGUMENT...], DIRECTORY with the source of SUNDIALS" >&2
  exit 2
fi
source=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
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
ctest --test-dir "$build/sunlagrange" --output-on-failure --no-tests=error --parallel "$jobs" -LE slow "$@"
