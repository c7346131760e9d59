#!/usr/bin/env bash
# scripts/benchmark.sh [ARGUMENT...]
#
# The main job: builds the benchmark program if needed and compares every registered formulation on the mechanisms
# below (the chain: those meant for its size). Arguments are handed to every comparison, e.g. `scripts/benchmark.sh --rtols 1e-6`.
#
# A run that fails numerically is part of the result: it is reported in its table, and the script goes on and exits
# with 0. Wrong usage or a crash stops it.
set -euo pipefail
cd "$(dirname "$0")/.."

# One comparison a line: arguments of `sunlagrange-bench compare`.
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

scripts/install_dependencies.sh
cmake --preset release --log-level=WARNING
cmake --build --preset release --target sunlagrange-bench --parallel "$(nproc)"

with_failures=()
for comparison in "${comparisons[@]}"; do
  read -r -a arguments <<<"$comparison"
  echo
  code=0
  build/release/benchmarks/sunlagrange-bench compare "${arguments[@]}" "$@" || code=$?
  case $code in
    0) ;;
    3) with_failures+=("${arguments[0]}") ;; # numerical failures, reported in the table
    *)
      echo "sunlagrange-bench compare ${arguments[*]} $* ended with exit code $code" >&2
      exit "$code"
      ;;
  esac
done

echo
echo "Every mechanism against published or exact values:"
build/release/benchmarks/sunlagrange-bench validate

echo
if [[ ${#with_failures[@]} -gt 0 ]]; then
  echo "Tables with at least one run that did not finish (see the status column): ${with_failures[*]}"
else
  echo "Every run finished."
fi
