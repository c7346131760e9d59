#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/robots.sh [FILE_OR_FOLDER...]
#
# Imports public robot descriptions and runs each for 0.1 s: those in source packages of Debian 12 (PR2, Atlas, DRC-HUBO, WAM, KR5, ...
# and what their projects test parsers with), and those given, e.g. a clone of a collection. Prints the table of
# docs/decisions/log/0033-robot-descriptions.md. Nothing is installed; packages are unpacked in a folder of TMPDIR that goes away afterwards.
# ROBOTS_PROGRAM: the program to try, by default that of build/release or build/dev, whatever is there.
# Exit code 1: it crashed, or passed over something in silence (scripts/robots.py); 2: nothing to try it with.
set -euo pipefail
here=$(dirname "$(realpath "$0")")

packages=(dart ros-collada-urdf ros-kdl-parser ros-robot-state-publisher ros-urdf urdfdom)

program=${ROBOTS_PROGRAM:-}
for preset in release dev; do
  built=$here/../build/$preset/apps/sunlagrange
  [[ -z "$program" && -x "$built" ]] && program=$built
done
if [[ -z "$program" ]] || ! "$program" import --help >/dev/null 2>&1; then
  echo "robots.sh: build sunlagrange first, where CMake finds urdfdom and sdformat (liburdfdom-dev, libsdformat-dev)" >&2
  exit 2
fi

given=()
for place in "$@"; do given+=("$(realpath "$place")"); done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

if command -v apt-get >/dev/null; then
  mkdir -p apt/lists/partial apt/cache/archives/partial descriptions
  mkdir apt/parts  # the sources of this system, of source packages
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -f "$list" ]] && sed -E 's/^deb /deb-src /; s/^Types: .*/Types: deb-src/' "$list" >"apt/parts/$(basename "$list")"
  done
  apt=(-q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$scratch/apt/parts" -o "Dir::State::Lists=$scratch/apt/lists"
    -o "Dir::Cache=$scratch/apt/cache" -o APT::Sandbox::User=root)
  apt-get "${apt[@]}" update >/dev/null || echo "robots.sh: Debian cannot be reached" >&2
  for package in "${packages[@]}"; do
    apt-get "${apt[@]}" source --download-only "$package" >/dev/null 2>&1 || true  # what Debian added need not be there
    tar -xf "${package}"_*.orig.tar.* -C descriptions 2>/dev/null || echo "robots.sh: source package $package: not there" >&2
  done
fi

# What worlds include from a model server: a light and a floor.
mkdir -p models/sun models/ground_plane
for model in sun ground_plane; do
  echo "<model><name>$model</name><version>1</version><sdf version='1.6'>model.sdf</sdf></model>" >models/$model/model.config
done
echo "<sdf version='1.6'><light type='directional' name='sun'/></sdf>" >models/sun/model.sdf
echo "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'/></model></sdf>" >models/ground_plane/model.sdf
export SDF_PATH="$scratch/models${SDF_PATH:+:$SDF_PATH}"

places=()
[[ -d descriptions ]] && places+=(descriptions)
"$here/robots.py" "$program" "${places[@]}" "${given[@]}"
