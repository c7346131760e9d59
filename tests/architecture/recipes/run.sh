#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh WORK_DIR BUILD_DIR
#
# Executes the recipes of CONTRIBUTING.md: copies the sources into WORK_DIR/tree, runs every ```sh block of the section
# "Recipes" there, builds as in BUILD_DIR, and runs the tests of registries, documents and contracts in the copy.
# Objects that no recipe touched are taken from BUILD_DIR (reuse.sh). WORK_DIR is kept, so that a second run compiles
# little.
set -euo pipefail

export ROOT BUILD TREE COPY CHANGED
ROOT=$(cd "$(dirname "$0")/../../.." && pwd)
BUILD=$(realpath "$2")
mkdir -p "$1"
work_dir=$(realpath "$1")
TREE=$work_dir/tree
CHANGED=$work_dir/changed
COPY=$work_dir/build

rm -rf "$TREE"
mkdir "$TREE"
if git -C "$ROOT" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  (cd "$ROOT" && git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do if [[ -e $file ]]; then printf '%s\0' "$file"; fi; done |
    tar --create --null --files-from=- --file=-) | tar --extract --directory="$TREE"
else
  tar --create --directory="$ROOT" --exclude='./build*' --file=- . | tar --extract --directory="$TREE"
fi

# ---- the recipes -----------------------------------------------------------------------------------------------------
recipes=$(awk '/^## /{inside = ($0 == "## Recipes")} inside && /^```/{block = ($0 == "```sh"); next} block' \
  "$ROOT/CONTRIBUTING.md")
if [[ -z $recipes ]]; then
  echo "CONTRIBUTING.md has no \`\`\`sh block in a section \"## Recipes\"" >&2
  exit 1
fi
echo "$recipes"
touch "$work_dir/before"
(cd "$TREE" && bash -euo pipefail -c "$recipes")
find "$TREE" -type f -newer "$work_dir/before" | sed "s|^$TREE/|$ROOT/|" >"$CHANGED"

# ---- build -----------------------------------------------------------------------------------------------------------
cached() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD/CMakeCache.txt"; }
launcher=$(cached CMAKE_CXX_COMPILER_LAUNCHER)
settings=()
for name in CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_UNITY_BUILD SUNDIALS_DIR BUILD_SHARED_LIBS; do
  settings+=(-D "$name=$(cached $name)")
done
cmake -S "$TREE" -B "$COPY" -G "$(cached CMAKE_GENERATOR)" "${settings[@]}" -D CMAKE_CXX_FLAGS_DEBUG=-O0 \
  -D "CMAKE_CXX_COMPILER_LAUNCHER=$ROOT/tests/architecture/recipes/reuse.sh${launcher:+;$launcher}" \
  -D sunlagrange_BUILD_EXAMPLES=OFF -D sunlagrange_WARNINGS_AS_ERRORS=ON
tests=(architecture_readme architecture_include_direction contract_formulation_contract contract_coordinate_elements
  unit_linear_solver unit_linear_solver_laws order_fixed_step)
cmake --build "$COPY" --parallel "$(nproc)" --target tables "${tests[@]/#/test_}"

# ---- they are there and work -----------------------------------------------------------------------------------------
program=$COPY/apps/sunlagrange
list=$("$program" list)
for name in my_formulation my_linear_solver my_integrator my_mechanism MyElement; do
  if ! grep -qw -- "$name" <<<"$list"; then
    echo "sunlagrange list does not show $name" >&2
    exit 1
  fi
done
"$program" run my_mechanism --formulation my_formulation --integrator cvode_bdf --linear-solver my_linear_solver
"$program" run my_mechanism --formulation my_formulation --integrator my_integrator --step 1e-3
# one step makes up the run; exit code 4: finished, with doubts
one_step=$("$program" run my_mechanism --integrator my_integrator --step 1e-3 --t-end 1e-3 --json || [[ $? == 4 ]])
if ! grep -q '"my_check"' <<<"$one_step"; then
  echo "my_check does not doubt a run of one step: $one_step" >&2
  exit 1
fi
pattern=$(IFS='|' && echo "${tests[*]/_//}")
ctest --test-dir "$COPY" --output-on-failure --tests-regex "^($pattern|architecture/tables)\$"
