#!/usr/bin/env bash
# scripts/benchmark.sh [ARGUMENT...]
#
# The main job: builds what it needs of sunlagrange-bench and compares every registered formulation on the mechanisms
# below (the chain: those meant for its size). Arguments are handed to every comparison, e.g. `scripts/benchmark.sh --rtols 1e-6`.
# Only what the tables and the page need is built (benchmarks/CMakeLists.txt): no model files, analyses, tests, examples.
# Tables go to stdout, the account of what is being done and for how long to stderr.
#
# A run that fails numerically is part of the result: it is reported in its table, and the script goes on and exits
# with 0. Wrong usage or a crash stops it; a mechanism that misses its published values ends it with 3 (`validate`).
set -euo pipefail
cd "$(dirname "$0")/.."

# One comparison a line: arguments of `sunlagrange-bench compare`. The shortest comes first.
comparisons=(
  "two_link"
  "two_link_as_printed"
  "pendulum"
  "andrews"
  "car_axis"
  "slider_crank"
  "knife_edge"
  "chain --size 400 --formulations baumgarte,penalty,augmented_lagrangian,projected,index1,ggl,stabilized_index1"
)

# stage WHAT COMMAND...: says what comes, does it, and says how long it took.
stage() {
  local what=$1 begin=$SECONDS code=0
  shift
  echo "==== $what" >&2
  "$@" || code=$?
  echo "==== $what: $((SECONDS - begin)) s; $SECONDS s since the start" >&2
  return "$code"
}

# build TARGET: progress goes to stderr.
build() {
  NINJA_STATUS="[%f of %t, %e s] " cmake --build --preset release --target "$1" --parallel "$(nproc)" >&2
}

with_failures=()
# compare PROGRAM COMPARISON ARGUMENT...
compare() {
  local program=$1 comparison=$2 arguments code=0
  read -r -a arguments <<<"$comparison"
  shift 2
  echo
  stage "compare $comparison" "$program" compare "${arguments[@]}" "$@" || code=$?
  case $code in
    0) ;;
    3 | 4) with_failures+=("${arguments[0]}") ;; # numerical failures or doubts, reported in the table
    *)
      echo "sunlagrange-bench compare ${arguments[*]} $* ended with exit code $code" >&2
      exit "$code"
      ;;
  esac
}

bench=build/release/benchmarks/sunlagrange-bench-report
first=build/release/benchmarks/sunlagrange-bench-runs
stage "packages" scripts/install_dependencies.sh
stage "configure" cmake --preset release --log-level=WARNING
if [[ ! -x $bench ]]; then
  stage "build what the first table needs" build sunlagrange-bench-runs
  compare "$first" "${comparisons[0]}" "$@"
  comparisons=("${comparisons[@]:1}")
fi
stage "build what the other tables and the page need" build sunlagrange-bench-report
for comparison in "${comparisons[@]}"; do
  compare "$bench" "$comparison" "$@"
done

report=build/release/report
echo
stage "report" "$bench" report --quick --out "$report"
if [[ ${#with_failures[@]} -gt 0 ]]; then
  echo "Tables with at least one run that did not finish, or with doubts (see the status column): ${with_failures[*]}"
else
  echo "Every run finished, without doubts."
fi
echo "All of it as one page, to be opened in a browser: $PWD/$report/index.html"
echo "The program with all its commands: cmake --build --preset release --target sunlagrange-bench"
