#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/docs.sh
#
# Builds the site, build/docs/html/index.html: tutorial, gallery, elements, options, theory, troubleshooting, references of
# Python and of the public headers. It fails on a warning of Doxygen, a name of the public headers (class, function, member)
# or of Python without a description, and a picture or link that leads nowhere. Needs Debian's doxygen, python3 and, for formulas
# without a connection, libjs-mathjax, which it installs as scripts/install_dependencies.sh does.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n "${SUNLAGRANGE_DRY_RUN:-}" ]]; then # the arguments are right, and that was all
  exit 0
fi
scripts/install_dependencies.sh doxygen python3 libjs-mathjax
version() { sed -n "s/^#define SUNLAGRANGE_VERSION_$1 //p" include/sunlagrange/version.hpp; }
SUNLAGRANGE_VERSION="$(version MAJOR).$(version MINOR).$(version PATCH)"
export SUNLAGRANGE_VERSION
theme=third_party/doxygen-awesome
rm -rf build/docs
mkdir -p build/docs/html

# Doxygen's own head of a page, with the scripts of the theme.
doxygen -w html build/docs/header.html build/docs/footer.html build/docs/style.css >build/docs/log 2>&1
scripts=$(sed 's/.*/<script type="text\/javascript" src="$relpath^&"><\/script>/' <<<"doxygen-awesome-darkmode-toggle.js
doxygen-awesome-fragment-copy-button.js
doxygen-awesome-interactive-toc.js")
awk -v scripts="$scripts" -v init='<script type="text/javascript">DoxygenAwesomeDarkModeToggle.init();
DoxygenAwesomeFragmentCopyButton.init(); DoxygenAwesomeInteractiveToc.init();</script>' \
  '/<\/head>/ { print scripts; print init } { print }' build/docs/header.html >build/docs/header.new
mv build/docs/header.new build/docs/header.html
cp "$theme/LICENSE" build/docs/LICENSE.doxygen-awesome

python3 scripts/python_reference.py bindings/python/sunlagrange >build/docs/python-reference.md
python3 docs/site/described.py include/sunlagrange build/docs/headers

# MathJax of Debian beside the pages; without it the pages take it from its address.
mathjax=/usr/share/javascript/mathjax
more="HTML_COLORSTYLE = LIGHT"
[[ $(printf '%s\n' 1.9.5 "$(doxygen --version)" | sort -V | head -n 1) == 1.9.5 ]] || more=""
if [[ -e $mathjax/MathJax.js ]]; then
  mkdir -p build/docs/html/mathjax/jax/{input,output}
  cp -rL $mathjax/MathJax.js $mathjax/extensions build/docs/html/mathjax
  cp -rL $mathjax/jax/element build/docs/html/mathjax/jax
  cp -rL $mathjax/jax/input/TeX build/docs/html/mathjax/jax/input
  cp -rL $mathjax/jax/output/SVG build/docs/html/mathjax/jax/output
  more+=$'\nMATHJAX_RELPATH = mathjax'
fi
printf '%s\n' "$(<docs/Doxyfile)" "$more" | doxygen -
printf '%s\n' "$(<docs/Doxyfile)" "INPUT = include/sunlagrange" "EXTRACT_ALL = NO" "WARN_IF_UNDOCUMENTED = YES" \
  "WARN_AS_ERROR = NO" "GENERATE_HTML = NO" | doxygen - 2>&1 | python3 scripts/undocumented.py
python3 scripts/check_site.py build/docs/html
python3 scripts/check_links.py ./*.md docs examples src tests benchmarks third_party
echo "build/docs/html/index.html"
