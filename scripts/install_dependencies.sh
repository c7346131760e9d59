#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/install_dependencies.sh [PACKAGE...]
#
# Installs what is missing to build, test and benchmark sunlagrange (and the extra packages given) on Debian and Ubuntu.
# Elsewhere it says what to install, and leaves that to you. Does nothing if everything is there.
# SUNLAGRANGE_NO_INSTALL=1 skips it, e.g. when SUNDIALS comes from CMAKE_PREFIX_PATH.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config git python3
  libsundials-dev libsuitesparse-dev libeigen3-dev
  libboost-test-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libbenchmark-dev
  gnuplot-nox
  "$@"
)

if [[ -n "${SUNLAGRANGE_NO_INSTALL:-}" ]]; then
  exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<TEXT
This is not Debian or Ubuntu, so nothing is installed. sunlagrange needs:
  a C++17 compiler (g++ 12 or clang 14 are tested), CMake 3.22 or later, Ninja, pkg-config, git, Python 3
  SUNDIALS 6.4 to 6.7 or 7.1 to 7.x (cvodes, idas, arkode, kinsol, nvecserial), SuiteSparse (KLU), Eigen 3.4
  tests: Boost.Test 1.74 or later
  benchmarks: CLI11, nlohmann-json, fmt 8 or later; optional: Google Benchmark, gnuplot, MPI
If CMake does not find one of them, set CMAKE_PREFIX_PATH to where it is. Going on with what is there.
TEXT
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]]; then
    missing+=("$package")
  fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing: ${missing[*]}. Install them as root (apt-get install ${missing[*]}) and run this again." >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
if [[ " ${missing[*]} " == *" libsundials-dev "* ]]; then
  echo "Debian's libsundials-dev brings PETSc, Trilinos and Open MPI, 484 MB; INSTALL.md says how to do without."
fi
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
