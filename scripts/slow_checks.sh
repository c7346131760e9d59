#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/slow_checks.sh [matrix] [pairwise] [sanitizers] [threads] [fuzzing] [coverage] [mutants] [slow-tests]
#
# The checks that take too long for every change; all of them if none is named.
#   matrix      {g++, clang++} x {C++17, C++20}, warnings as errors, with the tests; the C++20 ones compile every file by
#               itself, without precompiled headers, so that missing includes show
#   pairwise    five builds with their tests, in which every pair of compiler, standard, with and without KLU, shared and
#               static occurs; PAIRWISE=1 ... 5 takes one of them
#   sanitizers  the tests under the address and undefined-behaviour sanitizers
#   threads     what uses threads, under the thread sanitizer
#   fuzzing     the targets of tests/fuzz, FUZZ_SECONDS (default 3600) in all; findings and new input in build/fuzz
#   coverage    lines that the tests run, by room, and the files with the most lines that none runs; COVERAGE_TESTS: which
#               tests (an expression of ctest, default all but the slow ones)
#   mutants     changes one place of the numerics after the other in a copy, and expects the test of that place to fail
#               (tests/mutants)
#   slow-tests  the tests labelled slow (long tables)
# Goes on after a failure and lists the failures at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(matrix pairwise sanitizers threads fuzzing coverage mutants slow-tests)
checks=("$@")
if [[ ${#checks[@]} -eq 0 ]]; then
  checks=("${all[@]}")
fi
for check in "${checks[@]}"; do
  if [[ " ${all[*]} " != *" $check "* ]]; then
    echo "unknown check \"$check\"; choose from: ${all[*]}" >&2
    exit 2
  fi
done
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi

# libomp-dev: Debian's SUNDIALS package asks every compiler for OpenMP
scripts/install_dependencies.sh clang libomp-dev
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
fi
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

failed=()
# attempt NAME COMMAND...: says what comes, and notes its failure.
attempt() {
  local name=$1
  shift
  echo
  echo "==== $name"
  "$@" || failed+=("$name")
}

# build_and_test BUILD_DIR CTEST_SELECTION CMAKE_ARGUMENT...
build_and_test() {
  local build_dir=$1 selection=$2
  shift 2
  # shellcheck disable=SC2086  # the selection is several words
  cmake -B "$build_dir" "$@" --log-level=WARNING &&
    cmake --build "$build_dir" --parallel "$jobs" &&
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$jobs" $selection
}

# threads: only what the tests with threads need is built.
threads() {
  cmake --preset tsan --log-level=WARNING &&
    cmake --build --preset tsan --parallel "$jobs" --target test_unit_threads test_unit_c_interface test_regression_campaign \
      test_regression_study &&
    TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$PWD/tests/tsan.supp" \
      ctest --preset tsan --no-tests=error -R 'unit/(threads|c_interface)|regression/(campaign|study)'
}

# fuzzing: each target from the committed corpus and what it found before, an equal share of the time.
fuzzing() {
  local total=${FUZZ_SECONDS:-3600} targets=() target name
  cmake --preset fuzz --log-level=WARNING && cmake --build --preset fuzz --parallel "$jobs" --target fuzzers || return 1
  targets=(tests/fuzz/*.cpp)
  for target in "${targets[@]}"; do
    name=$(basename "$target" .cpp)
    mkdir -p "build/fuzz/found/$name"
    echo "---- $name"
    "build/fuzz/tests/fuzz/fuzz_$name" -max_total_time=$((total / ${#targets[@]})) -timeout=60 -rss_limit_mb=3000 \
      -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "build/fuzz/found/$name" "tests/fuzz/corpus/$name" \
      2>"build/fuzz/$name.log" || { tail -n 60 "build/fuzz/$name.log" && return 1; }
    grep -E 'DONE|stat::number_of_executed_units|stat::peak_rss_mb' "build/fuzz/$name.log"
  done
}

coverage() {
  cmake --preset coverage --log-level=WARNING && cmake --build --preset coverage --parallel "$jobs" || return 1
  find build/coverage -name '*.gcda' -delete
  ctest --preset coverage --no-tests=error --parallel "$jobs" -LE 'slow|installs' -R "${COVERAGE_TESTS:-.}" &&
    scripts/coverage.py build/coverage
}

# pairwise [WHICH]: every pair of the four choices is in one of these; four builds are too few for that.
pairwise() {
  local builds=("clang++ 20 OFF OFF" "clang++ 17 ON ON" "g++ 20 ON ON" "g++ 17 OFF ON" "g++ 17 ON OFF") which=${1:-}
  local build compiler standard klu shared
  if [[ -n $which ]]; then builds=("${builds[which - 1]}"); fi
  for build in "${builds[@]}"; do
    read -r compiler standard klu shared <<<"$build"
    attempt "$compiler C++$standard, KLU $klu, shared $shared" build_and_test \
      "build/pairwise/$compiler-$standard-$klu-$shared" "-LE slow|installs" --preset dev -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_CXX_STANDARD="$standard" -Dsunlagrange_WITH_KLU="$klu" -DBUILD_SHARED_LIBS="$shared"
  done
}

for check in "${checks[@]}"; do
  case $check in
    matrix)
      for compiler in g++ clang++; do
        for standard in 17 20; do
          attempt "$compiler C++$standard" build_and_test "build/matrix/$compiler-$standard" "-LE slow|installs" \
            --preset "$([[ $standard == 20 ]] && echo tidy || echo dev)" -DCMAKE_CXX_COMPILER="$compiler" \
            -DCMAKE_CXX_STANDARD="$standard"
        done
      done
      ;;
    pairwise)
      pairwise "${PAIRWISE:-}"
      ;;
    sanitizers)
      attempt "sanitizers" build_and_test build/asan-ubsan "-LE slow|installs" --preset asan-ubsan
      ;;
    threads | fuzzing | coverage)
      attempt "$check" "$check"
      ;;
    mutants)
      attempt "mutants" tests/mutants/mutants.py
      ;;
    slow-tests)
      attempt "slow tests" build_and_test build/release "-L slow" --preset release
      ;;
  esac
done

echo
if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "All passed: ${checks[*]}"
