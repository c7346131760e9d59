#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/build_times.sh [PRESET]
#
# What the last builds of build/PRESET (default: release) spent their time on, from Ninja's log: the slowest outputs and
# the sums per folder. A unity file counts for the folder of its sources. Seconds are wall time of one job: compare
# builds on a machine at rest, without a compiler cache, from an empty build folder.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
log=build/$preset/.ninja_log
if [[ ! -f $log ]]; then
  echo "$log is not there: cmake --preset $preset && cmake --build --preset $preset" >&2
  exit 2
fi

# Seconds and name of every output that is still there and belongs to the build as it is now configured (objects of
# earlier layouts stay on the disk), the last time it was built.
# A line of the log: start [ms], end [ms], time stamp, output, hash; of the targets: output: rule
seconds() {
  awk -F '\t' 'NR == FNR { sub(/: [^:]*$/, ""); current[$0]; next }
               /^[0-9]/ && $4 in current { ms[$4] = $2 - $1 }
               END { for (o in ms) printf "%.1f\t%s\n", ms[o] / 1000, o }' \
    <(ninja -C "build/$preset" -t targets all) "$log" |
    while IFS=$'\t' read -r time output; do
      if [[ -f build/$preset/$output ]]; then printf '%s\t%s\n' "$time" "$(source_of "$output")"; fi
    done
}

# benchmarks/CMakeFiles/sunlagrange-bench.dir/program/main.cpp.o -> benchmarks/program/main.cpp;
# CMakeFiles/sunlagrange.dir/Unity/unity_src_base_cxx.cxx.o -> src/base/*; programs and archives as they are
source_of() {
  local output=$1 unity source
  unity=build/$preset/${output%.o}
  if [[ $output == */Unity/*.cxx.o && -f $unity ]]; then
    source=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$unity" | head -n 1)
    echo "$(dirname "${source#"$PWD"/}")/*"
  elif [[ $output == *CMakeFiles/*.dir/*.o || $output == *CMakeFiles/*.dir/*.gch ]]; then
    sed -E 's|CMakeFiles/([^/]*)\.dir/||; s|\.o$||' <<<"$output"
  else
    echo "link/$output"
  fi
}

all=$(seconds | sort -rn)
echo "build/$preset: slowest"
head -n 20 <<<"$all" | awk -F '\t' '{ printf "%8.1f s  %s\n", $1, $2 }'
echo
echo "per folder"
awk -F '\t' '{
  folder = $2
  sub("/[^/]*$", "", folder)
  sum[folder] += $1
  count[folder]++
  total += $1
} END {
  for (f in sum) printf "%8.1f s %4d  %s\n", sum[f], count[f], f
  printf "%8.1f s %4d  together\n", total, NR
}' <<<"$all" | sort -rn
