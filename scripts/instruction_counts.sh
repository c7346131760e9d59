#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/instruction_counts.sh [--record] [PROGRAM]
#
# A guard that noise cannot fool: how many instructions one right-hand side, its phases and six whole runs take, counted by
# valgrind --tool=callgrind and compared with benchmarks/results/instruction_counts.csv. Exit code 1 if one of them takes
# more than LIMIT per cent (default 1) more than is recorded there; --record writes the file anew. PROGRAM:
# sunlagrange-microbenchmarks of the preset release, by default built by it. Counts belong to one compiler and its options,
# which the file names: after changing them, record first. Some minutes; not a part of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

record=false
if [[ ${1:-} == --record ]]; then
  record=true
  shift
fi
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
if [[ $# -eq 0 ]]; then
  scripts/install_dependencies.sh valgrind libbenchmark-dev
  cmake --preset release --log-level=WARNING
  cmake --build --preset release --target sunlagrange-microbenchmarks
fi
program=$(realpath "${1:-build/release/benchmarks/sunlagrange-microbenchmarks}")
recorded=benchmarks/results/instruction_counts.csv
limit=${LIMIT:-1}

cases=()
for kernel in two_link/baumgarte/dense {n_four_bar,chain}_400/baumgarte/{klu,block} n_four_bar_400/penalty/block; do
  cases+=("$kernel/library")
done
for kernel in {n_four_bar,chain}_400/baumgarte/block; do
  cases+=("$kernel"/phase_{evaluate,factorize,solve})
done
cases+=(
  whole_run/andrews/baumgarte/dopri5/0.03s/7e-06
  whole_run/andrews/index3/ida/0.03s/1e-06
  whole_run/pendulum/baumgarte/dopri5/10s/5e-08
  whole_run/pendulum/baumgarte/cvode_bdf/10s/1e-06
  whole_run/n_four_bar_40/baumgarte/dopri5/0.6s/1e-05
  whole_run/n_four_bar_40/baumgarte/cvode_adams/0.6s/1e-06
)

# counted CASE ITERATIONS: instructions of the whole program with so many of the loop
counted() {
  local report
  report=$(SUNLAGRANGE_ITERATIONS=$2 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" \
    --benchmark_filter="^$1(/|\$)" 2>&1) || { echo "$report" >&2 && exit 1; }
  awk '/Collected/ { print $4; found = 1 } END { exit !found }' <<<"$report"
}

# per_iteration CASE: without set-up and first calls, the difference of two numbers of iterations, of as many digits: one
# digit more in the name of the benchmark costs 80 000 instructions of pattern matching
per_iteration() {
  local few=11 more=21 first second
  if [[ $1 == whole_run/* ]]; then few=1 more=2; fi
  first=$(counted "$1" "$few")
  second=$(counted "$1" "$more")
  echo $(((second - first) / (more - few)))
}

table="case,instructions"
status=0
for name in "${cases[@]}"; do
  now=$(per_iteration "$name")
  table+=$'\n'"$name,$now"
  before=$(awk -F, -v name="$name" '$1 == name { print $2 }' "$recorded" 2>/dev/null || true)
  awk -v name="$name" -v now="$now" -v before="${before:-0}" -v limit="$limit" 'BEGIN {
    change = (before > 0) ? 100 * (now / before - 1) : 0
    more = (change > limit)
    words = (before > 0) ? sprintf("%+.2f %%%s", change, more ? "  MORE" : "") : "new"
    printf("%-56s %12d  %s\n", name, now, words)
    exit more }' || status=1
done
if [[ $record == true ]]; then
  { echo "# $(c++ --version | head -n 1); preset release; scripts/instruction_counts.sh --record" && echo "$table"; } >"$recorded"
  exit 0
fi
exit $status
