#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/release.sh --check
# scripts/release.sh --archive FOLDER [ADDRESS]
#
# --check says what is not ready for a release, a line for each, and ends with exit code 1 if there is something: a place
# that states another version, a changelog without a date, recipes without address and checksum of the archive, changes
# that are not committed, a suite that was not run or failed on a system that the README names, lines of licences.
# --archive writes sunlagrange-VERSION.tar.gz of the last commit and its SHA256SUMS and SHA512SUMS into FOLDER. The same
# commit gives the same bytes. With ADDRESS, the folder from which the archive will be downloaded, the recipes get address
# and checksums; commit them after the tag.
set -euo pipefail
cd "$(dirname "$0")/.."

version() { sed -n "s/^#define SUNLAGRANGE_VERSION_$1 //p" include/sunlagrange/version.hpp; }
release=$(version MAJOR).$(version MINOR).$(version PATCH)

archive() {
  local folder=$1 name=sunlagrange-$release
  mkdir -p "$folder"
  git archive --format=tar --prefix="$name/" HEAD | gzip -n -9 >"$folder/$name.tar.gz"
  (cd "$folder" && sha256sum "$name.tar.gz" >SHA256SUMS && sha512sum "$name.tar.gz" >SHA512SUMS)
  if [[ $# -eq 2 ]]; then
    scripts/recipes.py --write "$2" "$(cut -d' ' -f1 "$folder/SHA256SUMS")" "$(cut -d' ' -f1 "$folder/SHA512SUMS")"
  fi
  cat "$folder/SHA256SUMS" "$folder/SHA512SUMS"
}

problems=0
# missing TEXT...: one thing that is not ready
missing() {
  echo "not ready: $*"
  problems=$((problems + 1))
}

check() {
  local system line wrong
  wrong=$(scripts/recipes.py | grep 'but version.hpp says' || true)
  while IFS= read -r line; do
    if [[ -n $line ]]; then missing "version: $line; run scripts/recipes.py --write"; fi
  done <<<"$wrong"
  if ! grep -qE "^## ${release//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md; then
    missing "changelog: CHANGELOG.md has no heading \"## $release (YYYY-MM-DD)\""
  fi
  if grep -q "$release is not released" README.md; then
    missing "readme: README.md says that $release is not released"
  fi
  if grep -rlE 'example\.org/sunlagrange|\b0{64}\b' packaging --exclude=README.md | grep -q .; then
    missing "recipes: they lack address and checksum of the archive; run scripts/release.sh --archive FOLDER ADDRESS"
  fi
  for system in "Debian 12" "Debian 13" Ubuntu; do
    if ! grep -qE "^$system[^,]*,[^,]*,[^,]*,[^,]*,[0-9]+,0," docs/versions.csv; then
      missing "versions: no whole suite without failures on $system in docs/versions.csv; run scripts/test.sh --record there"
    fi
  done
  if ! git diff --quiet HEAD -- || [[ -n $(git status --porcelain) ]]; then
    missing "tree: git status shows changes that are not committed"
  fi
  if git rev-parse -q --verify "refs/tags/v$release" >/dev/null && [[ $(git rev-parse "v$release^{commit}") != $(git rev-parse HEAD) ]]; then
    missing "tag: v$release is another commit; raise the version in include/sunlagrange/version.hpp"
  fi
  if ! scripts/add_spdx.py --check >/dev/null; then
    missing "licences: files without their line; scripts/add_spdx.py --check lists them"
  fi
  if [[ $problems -eq 0 ]]; then
    echo "$release is ready: tag the commit v$release"
  fi
  return $((problems > 0))
}

case "${1:-} $#" in
  "--check 1" | "--archive 2" | "--archive 3") ;;
  *)
    echo "usage: scripts/release.sh --check | --archive FOLDER [ADDRESS]" >&2
    exit 2
    ;;
esac
if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
"${1#--}" "${@:2}"
