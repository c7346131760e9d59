#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/benchmark.sh [ARGUMENT...]
#
# The main job: builds what it needs of sunlagrange-bench and ranks the formulations at equal error over a set of
# mechanisms (`sunlagrange-bench compare`). It prints a preliminary ranking from the first mechanisms as early as it can,
# and the complete one at the end. Arguments are handed to both, e.g. `scripts/benchmark.sh --integrators ida,radau`.
# Only what the ranking and the page need is built (benchmarks/CMakeLists.txt): no model files, analyses, tests, examples.
# The rankings go to stdout, a line for each stage to stderr, and the output of the package manager and the compiler to
# build/benchmark.log.
#
# A run that fails numerically is part of the result: the ranking counts it, and the script goes on and exits with 0.
# Wrong usage or a crash stops it; a mechanism that misses its published values ends it with 3 (`validate`).
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
log=build/benchmark.log
mkdir -p build
: >"$log"

# stage WHAT COMMAND...: says what comes, does it with its output in the log, and says how long it took.
stage() {
  local what=$1 begin=$SECONDS code=0
  shift
  printf '%s ... ' "$what" >&2
  "$@" >>"$log" 2>&1 || code=$?
  echo "$((SECONDS - begin)) s; $SECONDS s since the start" >&2
  if [[ $code -ne 0 ]]; then
    echo "It failed with exit code $code. The end of $PWD/$log:" >&2
    tail -n 20 "$log" >&2
    exit "$code"
  fi
}

build() {
  NINJA_STATUS="[%f of %t, %e s] " cmake --build --preset release --target "$1" --parallel "$(nproc)"
}

# compare PROGRAM ARGUMENT...: its ranking goes to stdout. Failed and doubtful runs are part of it.
compare() {
  local program=$1 code=0
  shift
  "$program" compare "$@" || code=$?
  case $code in
    0 | 3 | 4) ;;
    *)
      echo "sunlagrange-bench compare $* ended with exit code $code" >&2
      exit "$code"
      ;;
  esac
}

bench=build/release/benchmarks/sunlagrange-bench-report
first=build/release/benchmarks/sunlagrange-bench-runs
report=build/release/report
stage "packages" scripts/install_dependencies.sh
stage "configure" cmake --preset release --log-level=WARNING
if [[ ! -x $bench ]]; then
  stage "build what the preliminary ranking needs" build sunlagrange-bench-runs
  compare "$first" --preliminary "$@"
  stage "build what the complete ranking and the page need" build sunlagrange-bench-report
else
  stage "build" build sunlagrange-bench-report
  compare "$bench" --preliminary "$@"
fi
mkdir -p "$report"
if [[ " $* " == *" --json "* ]]; then # documents instead of text
  compare "$bench" --out "$report" "$@"
  exit
fi
echo "The complete ranking follows."
compare "$bench" --out "$report" "$@" >/dev/null
stage "the page" "$bench" report --quick --out "$report" --ranking "$report/ranking.json"
cat "$report/ranking.txt"
echo "Tables: $report/runs.csv (every run), $report/ranking.json"
echo "All of it as one page, to be opened in a browser: $PWD/$report/index.html"
echo "Packages and compiler: $log. The program: cmake --build --preset release --target sunlagrange-bench"
