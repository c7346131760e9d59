#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/wheel.sh [--empty | --all]
#
# Builds the source distribution of the Python package and from it the wheel, in build/wheel, with the python3 and the
# libraries of this machine, then tries the wheel in an empty environment: its files, no search path of the linker, no
# library but those of C and C++, the example of the README, and `python3 -m sunlagrange`. Debian: python3-dev,
# python3-pip, python3-venv, python3-numpy, pybind11-dev, python3-scikit-build-core (13 or later).
# CMAKE_PREFIX_PATH: where a SUNDIALS without MPI is; Debian's needs MPI. If it is not set, scripts/wheel_dependencies.sh
# fetches and builds one in build/wheel-static.
# --empty: tries it as well in an empty Debian tree, which debootstrap makes in build/wheel-tree and which has Python and
# NumPy, but no compiler and no SUNDIALS. Needs root.
# --all: wheels for every version of Python, which cibuildwheel builds in containers (pyproject.toml).
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "" | --empty | --all) ;;
  *) echo "usage: scripts/wheel.sh [--empty | --all]" >&2 && exit 2 ;;
esac
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi

out=$PWD/build/wheel
if [[ "${1:-}" == --all ]]; then
  exec pipx run cibuildwheel==2.23.3 --output-dir "$out"
fi

scripts/install_dependencies.sh python3-dev python3-pip python3-venv python3-numpy pybind11-dev binutils
if [[ -z "${CMAKE_PREFIX_PATH:-}" ]]; then
  export CMAKE_PREFIX_PATH=$PWD/build/wheel-static
  if [[ ! -d $CMAKE_PREFIX_PATH ]]; then scripts/wheel_dependencies.sh "$CMAKE_PREFIX_PATH" sundials; fi
fi
rm -rf "$out"
mkdir -p "$out"
python3 -c 'import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))' "$out"
python3 -m pip wheel "$out"/sunlagrange-*.tar.gz --no-build-isolation --no-deps --wheel-dir "$out"

cat > "$out/try.sh" <<'TRY' # try.sh FOLDER: tries the wheel in FOLDER, in an environment of its own
set -eu
cd "$1"
rm -rf venv
python3 -m venv --system-site-packages venv # NumPy is that of the system
venv/bin/python -m pip install -q --no-index --no-deps sunlagrange-*.whl
package=$(venv/bin/python -c 'import os, sunlagrange; print(os.path.dirname(sunlagrange.__file__))')
case $package in
  "$1"/venv/*) ;;
  *) echo "the package comes from $package, not from the wheel" >&2 && exit 1 ;;
esac
for file in py.typed __init__.pyi mechanisms/pendulum.json bin/sunlagrange; do
  if [ ! -e "$package/$file" ]; then echo "the wheel lacks $file" >&2 && exit 1; fi
done
venv/bin/python -I pendulum.py
venv/bin/python -I -m sunlagrange run pendulum --t-end 1
TRY
cp examples/pendulum.py "$out"
bash "$out/try.sh" "$out"
for file in "$out"/venv/lib/python3*/site-packages/sunlagrange/{_core*.so,bin/sunlagrange}; do
  if readelf -d "$file" | grep -E 'R(UN)?PATH|NEEDED' | grep -vE '\[(lib(stdc\+\+|m|gcc_s|c|dl|pthread)\.so|ld-linux)'; then
    echo "$file of the wheel needs what stands above" >&2
    exit 1
  fi
done

if [[ "${1:-}" == --empty ]]; then
  scripts/install_dependencies.sh debootstrap
  tree=$PWD/build/wheel-tree
  if [[ ! -e $tree/etc/debian_version ]]; then
    debootstrap --variant=minbase --include=python3,python3-venv,python3-numpy \
      "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$tree"
  fi
  rm -rf "$tree/wheel"
  mkdir "$tree/wheel"
  cp "$out"/*.whl "$out/pendulum.py" "$out/try.sh" "$tree/wheel"
  for absent in gcc c++ cmake; do
    if chroot "$tree" sh -c "command -v $absent"; then echo "$tree has a compiler" >&2 && exit 1; fi
  done
  if compgen -G "$tree/usr/lib/*/libsundials*" >/dev/null; then echo "$tree has SUNDIALS" >&2 && exit 1; fi
  chroot "$tree" bash /wheel/try.sh /wheel
fi
ls -l "$out"/*.whl "$out"/*.tar.gz
