#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/wheel_dependencies.sh PREFIX [NAME...]
#
# Builds what a wheel contains and installs it below PREFIX: sundials (static, without MPI), eigen, json, CLI11 and fmt, or
# those of them that are named. Each version is fetched from its repository. cibuildwheel runs this once for each image
# (pyproject.toml). Debian has all but a SUNDIALS without MPI: scripts/wheel_dependencies.sh PREFIX sundials.
set -euo pipefail

if [[ $# -lt 1 ]]; then
  echo "usage: scripts/wheel_dependencies.sh PREFIX [NAME...]" >&2
  exit 2
fi
for name in "${@:2}"; do
  case $name in
    sundials | eigen | json | CLI11 | fmt) ;;
    *) echo "$name is none of sundials, eigen, json, CLI11 and fmt" >&2 && exit 2 ;;
  esac
done
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wanted=("${@:2}")
if command -v ninja >/dev/null; then
  export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}" # scripts/install_dependencies.sh brings no make
fi

# build ADDRESS TAG ARGUMENT...
build() {
  local address=$1 tag=$2 name
  shift 2
  name=$(basename "$address")
  if [[ ${#wanted[@]} -gt 0 && " ${wanted[*]} " != *" $name "* ]]; then return; fi
  git -c advice.detachedHead=false clone -q --depth 1 --branch "$tag" "$address" "$work/$name"
  cmake -S "$work/$name" -B "$work/$name/build" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$prefix" \
    -D CMAKE_INSTALL_LIBDIR=lib -D CMAKE_POSITION_INDEPENDENT_CODE=ON "$@"
  cmake --build "$work/$name/build" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
  cmake --install "$work/$name/build"
}

build https://github.com/LLNL/sundials v6.4.1 -D BUILD_SHARED_LIBS=OFF -D EXAMPLES_ENABLE_C=OFF -D EXAMPLES_INSTALL=OFF
build https://gitlab.com/libeigen/eigen 3.4.0 -D BUILD_TESTING=OFF -D EIGEN_BUILD_DOC=OFF
build https://github.com/nlohmann/json v3.11.3 -D JSON_BuildTests=OFF
build https://github.com/CLIUtils/CLI11 v2.4.2 -D CLI11_BUILD_TESTS=OFF -D CLI11_BUILD_EXAMPLES=OFF
build https://github.com/fmtlib/fmt 10.2.1 -D FMT_TEST=OFF -D FMT_DOC=OFF
