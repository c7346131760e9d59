#!/usr/bin/env bash
# run.sh WORK_DIR
#
# Executes the recipes of CONTRIBUTING.md: copies the sources into WORK_DIR/tree, runs every ```sh block of the section
# "Recipes" there (each adds one file and one registry line), builds sunlagrange-bench, and expects to find and run what
# was added. WORK_DIR is kept, so that a second run compiles little.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
work_dir=$1
tree=$work_dir/tree
build=$work_dir/build

mkdir -p "$work_dir"
rm -rf "$tree"
mkdir "$tree"
if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  (cd "$root" && git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do if [[ -e $file ]]; then printf '%s\0' "$file"; fi; done |
    tar --create --null --files-from=- --file=-) | tar --extract --directory="$tree"
else
  tar --create --directory="$root" --exclude='./build*' --file=- . | tar --extract --directory="$tree"
fi

# ---- the recipes -----------------------------------------------------------------------------------------------------
recipes=$(awk '/^## /{inside = ($0 == "## Recipes")} inside && /^```/{block = ($0 == "```sh"); next} block' \
  "$root/CONTRIBUTING.md")
if [[ -z $recipes ]]; then
  echo "CONTRIBUTING.md has no \`\`\`sh block in a section \"## Recipes\"" >&2
  exit 1
fi
echo "$recipes"
(cd "$tree" && bash -euo pipefail -c "$recipes")

# ---- build -----------------------------------------------------------------------------------------------------------
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
generator=()
if command -v ninja >/dev/null; then
  generator=(-G Ninja)
fi
cmake -S "$tree" -B "$build" "${generator[@]}" "${launcher[@]}" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 \
  -D sunlagrange_BUILD_TESTS=OFF -D sunlagrange_BUILD_EXAMPLES=OFF -D sunlagrange_WARNINGS_AS_ERRORS=ON \
  ${SUNDIALS_DIR:+-D "SUNDIALS_DIR=$SUNDIALS_DIR"}
cmake --build "$build" --target sunlagrange-bench --parallel "$(nproc)"

# ---- it is there and works -------------------------------------------------------------------------------------------
bench=$build/benchmarks/sunlagrange-bench
list=$("$bench" list)
echo "$list"
for name in my_formulation my_linear_solver my_mechanism MyElement; do
  if ! grep -qw -- "$name" <<<"$list"; then
    echo "sunlagrange-bench list does not show $name" >&2
    exit 1
  fi
done
"$bench" run my_mechanism --formulation my_formulation --integrator cvode_bdf --linear-solver my_linear_solver
