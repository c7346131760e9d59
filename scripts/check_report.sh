#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/check_report.sh [--no-screenshots] [PROGRAM [REPORT]]
#
# The pages in a browser: the report (REPORT, a folder with index.html; by default a quick one is written), the pages of
# six runs, of seven analyses and of a study are opened in headless Chromium, 1280 and 400 pixels wide. No message on the
# console, nothing that reaches beyond the width, no word that is not for readers (scripts/check_pages.py), no missing
# image, and every number of the tables stands in the data.
# Screenshots, those of the moving pictures at four times, are left in build/pages (or in the folder SUNLAGRANGE_PAGES)
# to be looked at.
set -euo pipefail
cd "$(dirname "$0")/.."

options=()
if [[ ${1:-} == --no-screenshots ]]; then
  options=("$1")
  shift
fi
program=${1:-build/release/benchmarks/sunlagrange-bench}
report=${2:-}
out=${SUNLAGRANGE_PAGES:-build/pages}
scripts/install_dependencies.sh chromium python3
mkdir -p "$out"
if [[ -z $report ]]; then
  report=$out/report
  "$program" report pendulum --quick --out "$report" >/dev/null
fi
pages=("$report/index.html")
page() { # page NAME COMMAND...: doubts are no failure
  local name=$1 code=0
  shift
  "$program" "$@" --html "$out/$name.html" >/dev/null || code=$?
  [[ $code -eq 0 || $code -eq 4 ]] || exit "$code"
  pages+=("$out/$name.html")
}
cat >"$out/arm.urdf" <<'XML'
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 0.15"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.4"/>
    <axis xyz="1 0 0"/></joint>
</robot>
XML
"$program" import "$out/arm.urdf" --position shoulder=0.8 --position elbow=0.5 >"$out/arm.json"
sed 's/"PrescribedRate"/"PrescribedCoordinate"/; s/{"type": "Constant", "value": 6.0}/{"type": "Uniform", "rate": 6.0}/
  s/{"value": 60, "unit": "deg"}/0/' examples/four_bar.json >"$out/turning.json"
"$program" run pendulum --rtol 1e-9 --t-end 2 --csv "$out/measured.csv" --output-step 0.05 >/dev/null
page andrews run andrews
page two_link run two_link --t-end 0.6 --rtol 1e-8
page bricard run bricard --t-end 4 --formulation projected
page flyball_governor run flyball_governor --t-end 4
page four_bar run examples/four_bar.json
page arm run "$out/arm.json" --t-end 2
page error_estimate run pendulum --rtol 1e-5 --error-estimate
page modes modes chain --size 5 --at equilibrium
page equilibrium equilibrium n_four_bar_bodies --starts 5
page kinematics kinematics slider_crank --coordinate q --from 0 --to 6.28 --points 61 --speed 2
page sensitivities sensitivities pendulum --parameter rod.L --parameter weight.gy --rtol 1e-8
page prescribed sensitivities "$out/turning.json" --points 2 --parameter rocker.m
page workspace workspace chain --size 2 --point "rod 2" --offset 0.5,0 --drive "rod 1.phi=-1.6:1.6:33" \
  --drive "rod 2.phi=-3.1:3.1:63"
page identify identify pendulum --data "$out/measured.csv" --output "bob[0]" --deviation 1e-3 --parameter rod.L
page study study examples/four_bar.json --vary spring.k=100,200,400
exec scripts/check_pages.py "${options[@]}" "$out" "${pages[@]}"
