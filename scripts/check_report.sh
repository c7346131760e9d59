#!/usr/bin/env bash
# scripts/check_report.sh [PROGRAM [REPORT]]
#
# The pages in a browser, which the tests do without: the report (REPORT, a folder with index.html; by default a quick one
# is written), the pages of five runs and of five analyses are opened in headless Chromium, 1280 and 400 pixels wide.
# No message on the console, nothing that reaches beyond the width, and every number of the report's tables stands in its
# data files.
# Screenshots, those of the moving pictures at four times, are left in build/pages to be looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/release/benchmarks/sunlagrange-bench}
report=${2:-}
out=build/pages
scripts/install_dependencies.sh chromium python3
mkdir -p "$out"
if [[ -z $report ]]; then
  report=$out/report
  "$program" report --quick --out "$report"
fi
pages=("$report/index.html")
for run in "andrews" "two_link --t-end 0.6 --rtol 1e-8" "bricard --t-end 4 --formulation projected" \
  "flyball_governor --t-end 4"; do
  name=${run%% *}
  code=0
  # shellcheck disable=SC2086  # several words
  "$program" run $run --html "$out/$name.html" >/dev/null || code=$?
  [[ $code -eq 0 || $code -eq 4 ]] || exit "$code"
  pages+=("$out/$name.html")
done
for analysis in "modes chain --size 5 --at equilibrium" "equilibrium n_four_bar_bodies --starts 5" \
  "kinematics slider_crank --coordinate q --from 0 --to 6.28 --points 61 --speed 2" \
  "sensitivities pendulum --parameter rod.L --parameter weight.gy --rtol 1e-8"; do
  # shellcheck disable=SC2086  # several words
  "$program" $analysis --html "$out/${analysis%% *}.html" >/dev/null
  pages+=("$out/${analysis%% *}.html")
done
"$program" workspace chain --size 2 --point "rod 2" --offset 0.5,0 --drive "rod 1.phi=-1.6:1.6:33" \
  --drive "rod 2.phi=-3.1:3.1:63" --html "$out/workspace.html" >/dev/null
pages+=("$out/workspace.html")
"$program" run pendulum --rtol 1e-5 --error-estimate --html "$out/error_estimate.html" >/dev/null
pages+=("$out/error_estimate.html")
exec scripts/check_pages.py "$out" "${pages[@]}"
