#!/usr/bin/env bash
# scripts/slow_checks.sh [matrix] [sanitizers] [slow-tests]
#
# The checks that take too long for every change; all three if none is named.
#   matrix      {g++, clang++} x {C++17, C++20}, warnings as errors, with the tests; the C++20 ones compile every file by
#               itself, without precompiled headers, so that missing includes show
#   sanitizers  the tests under the address and undefined-behaviour sanitizers
#   slow-tests  the tests labelled slow (long tables)
# Goes on after a failure and lists the failures at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

checks=("$@")
if [[ ${#checks[@]} -eq 0 ]]; then
  checks=(matrix sanitizers slow-tests)
fi

# libomp-dev: Debian's SUNDIALS package asks every compiler for OpenMP
scripts/install_dependencies.sh clang libomp-dev
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
fi

failed=()
# build_and_test NAME BUILD_DIR CTEST_SELECTION CMAKE_ARGUMENT...
build_and_test() {
  local name=$1 build_dir=$2 selection=$3
  shift 3
  echo
  echo "==== $name"
  # shellcheck disable=SC2086  # the selection is several words
  if ! { cmake -B "$build_dir" "$@" --log-level=WARNING &&
    cmake --build "$build_dir" --parallel "$(nproc)" &&
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(nproc)" $selection; }; then
    failed+=("$name")
  fi
}

for check in "${checks[@]}"; do
  case $check in
    matrix)
      for compiler in g++ clang++; do
        for standard in 17 20; do
          build_and_test "$compiler C++$standard" "build/matrix/$compiler-$standard" "-LE slow|installs" \
            --preset "$([[ $standard == 20 ]] && echo tidy || echo dev)" -DCMAKE_CXX_COMPILER="$compiler" \
            -DCMAKE_CXX_STANDARD="$standard"
        done
      done
      ;;
    sanitizers)
      build_and_test "sanitizers" build/asan-ubsan "-LE slow|installs" --preset asan-ubsan
      ;;
    slow-tests)
      build_and_test "slow tests" build/release "-L slow" --preset release
      ;;
    *)
      echo "unknown check \"$check\"; choose from: matrix, sanitizers, slow-tests" >&2
      exit 2
      ;;
  esac
done

echo
if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "All passed: ${checks[*]}"
