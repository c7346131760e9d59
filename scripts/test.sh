#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/test.sh [--slow] [--record] [CTEST ARGUMENT...]
#
# Builds everything with warnings as errors and runs the tests, e.g. `scripts/test.sh -R contract`.
# --slow adds the tests labelled slow. --record writes into docs/versions.csv and INSTALL.md that the whole suite was run
# with this compiler and this SUNDIALS, and how it ended. SUNLAGRANGE_DRY_RUN=1: only the options are read. The compiler matrix and the sanitizers are in scripts/slow_checks.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

selection=(-LE slow)
record=false
while [[ "${1:-}" == --slow || "${1:-}" == --record ]]; do
  if [[ $1 == --slow ]]; then selection=(); else record=true; fi
  shift
done
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi

scripts/install_dependencies.sh
scripts/install_dependencies.sh python3-dev pybind11-dev python3-numpy python3-pytest ||
  echo "The packages for Python cannot be installed: the Python package is left out of the build and the tests" >&2
scripts/install_dependencies.sh libopenmpi-dev openmpi-bin ||
  echo "Open MPI cannot be installed: studies under mpirun are left out of the build and the tests" >&2
scripts/install_dependencies.sh python3-distributed ||
  echo "python3-distributed cannot be installed: the test of studies on Dask is skipped" >&2
scripts/install_dependencies.sh python3-scipy python3-yaml ||
  echo "python3-scipy and python3-yaml cannot be installed: the tests of workflows and of a page about SciPy are skipped" >&2
scripts/install_dependencies.sh python3-pandas python3-matplotlib mypy ||
  echo "pandas, Matplotlib and mypy cannot be installed: tests of tables, curves and types are skipped" >&2
scripts/install_dependencies.sh liburdfdom-dev ||
  echo "urdfdom cannot be installed: the import of URDF is left out of the build and the tests" >&2
scripts/install_dependencies.sh libsdformat-dev ||
  echo "sdformat cannot be installed: the import of SDFormat is left out of the build and the tests" >&2
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
fi
cmake --preset dev
cmake --build --preset dev --parallel "$(nproc)"
code=0
ctest --test-dir build/dev --output-on-failure --no-tests=error --parallel "$(nproc)" "${selection[@]}" "$@" || code=$?
if [[ $record == true ]]; then scripts/record_versions.py build/dev; fi
exit "$code"
