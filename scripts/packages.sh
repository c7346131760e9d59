#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/packages.sh [BUILD]
#
# Makes the Debian packages from BUILD (default: configures and builds the preset `packages`), has lintian judge them,
# installs them into an empty Debian tree, which debootstrap makes in build/debian-tree, and runs there: the program, the
# installed examples through CMake, one in C through pkg-config, and the one in Python. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
scripts/install_dependencies.sh dpkg-dev lintian debootstrap python3-dev pybind11-dev python3-numpy
scripts/install_dependencies.sh liburdfdom-dev || echo "urdfdom cannot be installed: no import of URDF in the packages" >&2
scripts/install_dependencies.sh libsdformat-dev || echo "sdformat cannot be installed: no import of SDFormat in the packages" >&2
build=${1:-build/packages}
if [[ $# -eq 0 ]]; then
  cmake --preset packages
  cmake --build --preset packages
fi
packages=$PWD/build/debian
rm -rf "$packages"
cpack --config "$build/CPackConfig.cmake" -B "$packages"
lintian --allow-root --fail-on error "$packages"/*.deb

tree=$PWD/build/debian-tree
if [[ ! -e $tree/etc/debian_version ]]; then
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$tree"
fi
mkdir -p "$tree/packages"
rm -f "$tree"/packages/*
cp "$packages"/*.deb "$tree/packages"
cat > "$tree/packages/try.sh" <<'TRY'
set -eux
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends ./packages/*.deb
sunlagrange run pendulum --t-end 1
sunlagrange export bricard > /tmp/bricard.json
sunlagrange run /tmp/bricard.json --t-end 0.1
python3 /usr/share/doc/sunlagrange/examples/four_bar.py
apt-get install -q -y --no-install-recommends g++ cmake make pkg-config
cmake -S /usr/share/doc/sunlagrange/examples -B /tmp/examples
cmake --build /tmp/examples
/tmp/examples/pendulum
gcc /usr/share/doc/sunlagrange/examples/cvode_pendulum.c -o /tmp/c $(pkg-config --cflags --libs sunlagrange_c) -lm
/tmp/c
TRY
cp /etc/resolv.conf "$tree/etc/resolv.conf" 2>/dev/null || true
chroot "$tree" bash /packages/try.sh
echo "all packages install and run: $(cd "$packages" && echo *.deb)"
