#!/usr/bin/env bash
# scripts/docs.sh
#
# Builds the site, build/docs/html/index.html: tutorial, theory, troubleshooting, reference of the public headers. Warnings
# are errors. Needs Debian's doxygen, which it installs as scripts/install_dependencies.sh does.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
scripts/install_dependencies.sh doxygen
version() { sed -n "s/^#define SUNLAGRANGE_VERSION_$1 //p" include/sunlagrange/version.hpp; }
SUNLAGRANGE_VERSION="$(version MAJOR).$(version MINOR).$(version PATCH)"
export SUNLAGRANGE_VERSION
mkdir -p build/docs
doxygen docs/Doxyfile
echo "build/docs/html/index.html"
