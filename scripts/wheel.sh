#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/wheel.sh [--all]
#
# Builds the source distribution and the wheel of the Python package in build/wheel, with the python3 and the libraries of
# this machine and without network, then tries the wheel in an empty environment: its files, no search path of the linker,
# no shared SUNDIALS, and the example of the README. Debian: python3-dev, python3-pip, python3-venv, python3-numpy,
# pybind11-dev, python3-scikit-build-core (13 or later).
# --all: wheels for every version of Python, which cibuildwheel builds in containers (pyproject.toml).
# CMAKE_PREFIX_PATH: where other libraries are, e.g. those of scripts/wheel_dependencies.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

all=false
if [[ "${1:-}" == --all ]]; then
  all=true
  shift
fi
if [[ $# -gt 0 ]]; then
  echo "usage: scripts/wheel.sh [--all]" >&2
  exit 2
fi
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi

out=$PWD/build/wheel
if [[ $all == true ]]; then
  exec pipx run cibuildwheel==2.23.3 --output-dir "$out"
fi

scripts/install_dependencies.sh python3-dev python3-pip python3-venv python3-numpy pybind11-dev binutils
rm -rf "$out"
mkdir -p "$out"
python3 -c 'import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))' "$out"
python3 -m pip wheel . --no-build-isolation --no-deps --wheel-dir "$out"

python3 -m venv --system-site-packages "$out/venv" # NumPy is that of the system
"$out/venv/bin/python" -m pip install --no-index --no-deps "$out"/sunlagrange-*.whl
cd "$out"
package=$("$out/venv/bin/python" -c 'import os, sunlagrange; print(os.path.dirname(sunlagrange.__file__))')
case $package in
  "$out"/venv/*) ;;
  *) echo "the package comes from $package, not from the wheel" >&2 && exit 1 ;;
esac
for file in py.typed __init__.pyi mechanisms/pendulum.json; do
  if [[ ! -e $package/$file ]]; then echo "the wheel lacks $file" >&2 && exit 1; fi
done
if readelf -d "$package"/_core*.so | grep -E 'R(UN)?PATH|NEEDED.*sundials'; then
  echo "the module of the wheel needs what stands above" >&2
  exit 1
fi
"$out/venv/bin/python" -I ../../examples/pendulum.py
ls -l "$out"/*.whl "$out"/*.tar.gz
