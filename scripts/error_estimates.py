#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How good error estimates are: every mechanism with a reference, several formulations, tolerances 1e-4 ... 1e-10, and
fixed steps of 1/250 ... 1/4000 of the way.

    scripts/error_estimates.py build/release/apps/sunlagrange [mechanism ...] > error_estimates.md

Prints a table: how often the true error of q (and v) at the end lies between a third and three times the estimate, the largest
ratio of runs whose estimate is called certain, and the cost: processor time with the estimate over that without, medians of
repeated runs where they are short. On stderr what lies outside, and costs of the mechanisms.
"""
import json
import math
import re
import subprocess
import sys

FORMS = ["baumgarte/cvode_bdf", "baumgarte/dopri5", "projected/cvode_bdf", "penalty/cvode_bdf", "ggl/ida",
         "stabilized_index1/ida", "index3/ida"]
TOLERANCES = ["1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"]
FIXED = ["baumgarte/rk4", "projected/rk2", "index3_augmented_lagrangian/trapezoidal"]
STEPS = [250, 500, 1000, 2000, 4000]
ROUNDING = 1e-13
COST = 2.5  # wanted, at most


def run(program, *arguments):
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=60)
        return json.loads(done.stdout)
    except (json.JSONDecodeError, subprocess.TimeoutExpired):
        return None


def estimated(program, *arguments):
    """A run, None without an estimate at its end."""
    document = run(program, *arguments)
    if document is None or not document.get("runs"):
        return None
    record = document["runs"][0]
    if not record.get("error_estimate") or record["status"] != "finished" or record["t_reached"] != record["t_end"]:
        return None
    return record


def largest(values):
    return max((abs(x) for x in values if x is not None), default=math.nan)


def way_of(program, mechanism):
    """End time, None without a reference there."""
    document = run(program, "run", mechanism, "--rtol", "1e-4", "--start", "consistent", "--json")
    known = document is not None and document["runs"][0]["error_vs_reference"] is not None
    return document["runs"][0]["t_end"] if known else None


def settings(t_end):
    for form in FORMS:
        for tolerance in TOLERANCES:
            yield form, tolerance, ["--rtol", tolerance, "--atol", tolerance]
    for form in FIXED:
        for number in STEPS:
            yield form, f"1/{number}", ["--step", repr(t_end / number)]


def cases(program, mechanisms):
    for mechanism in mechanisms:
        t_end = way_of(program, mechanism)
        if t_end is None:
            continue
        for form, tolerance, how in settings(t_end):
            formulation, integrator = form.split("/")
            record = estimated(program, "run", mechanism, "--formulation", formulation, "--integrator", integrator, *how,
                               "--start", "consistent", "--max-steps", "300000", "--error-estimate", "--json")
            if record is None:
                continue
            estimate = record["error_estimate"]
            for what, key in (("q", "error_vs_reference"), ("v", "velocity_error_vs_reference")):
                true = record.get(key)
                if true is None or true < ROUNDING:
                    continue
                yield {"mechanism": mechanism, "form": form, "tolerance": tolerance, "what": what, "true": true,
                       "estimate": largest(estimate[what]), "certain": estimate["certain"], "steps": record["steps"],
                       "cost": record["cpu_seconds_with_estimate"] / record["cpu_seconds"]}


def main():
    program, *mechanisms = sys.argv[1:]
    if not mechanisms:
        listed = subprocess.run([program, "list", "mechanisms", "--markdown"], capture_output=True, text=True, check=True)
        mechanisms = re.findall(r"^\| \[(\w+)\]", listed.stdout, re.MULTILINE)
    every = list(cases(program, mechanisms))
    print("| formulation | runs | within a factor 3 | certain | of these within 3 | largest true/estimate, certain | "
          f"cost, median | nine in ten below | below {COST} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for form in FORMS + FIXED + ["all"]:
        some = [c for c in every if form in ("all", c["form"])]
        if not some:
            continue
        ratio = lambda c: c["true"] / c["estimate"] if c["estimate"] else math.inf
        good = lambda c: 1 / 3 <= ratio(c) <= 3
        certain = [c for c in some if c["certain"]]
        share = lambda cs: f"{100 * sum(map(good, cs)) / len(cs):.0f} %" if cs else "-"
        worst = max(certain, key=ratio) if certain else None
        costs = sorted(c["cost"] for c in some)
        where = f"{ratio(worst):.1f} ({worst['mechanism']}, {worst['tolerance']}, {worst['what']})" if worst else "-"
        print(f"| {form} | {len(some)} | {share(some)} | {len(certain)} | {share(certain)} | {where} | "
              f"{costs[len(costs) // 2]:.2f} | {costs[9 * len(costs) // 10]:.2f} | "
              f"{100 * sum(cost <= COST for cost in costs) / len(costs):.0f} % |")
    for mechanism in mechanisms:
        costs = sorted(c["cost"] for c in every if c["mechanism"] == mechanism)
        if costs:
            print(f"{mechanism}: cost {costs[len(costs) // 2]:.2f}, nine in ten below {costs[9 * len(costs) // 10]:.2f}",
                  file=sys.stderr)
    for c in every:
        r = c["true"] / c["estimate"] if c["estimate"] else math.inf
        if not 1 / 3 <= r <= 3:
            print(f"{c['mechanism']} {c['form']} {c['tolerance']} {c['what']}: true {c['true']:.1e}, "
                  f"estimate {c['estimate']:.1e}{'' if c['certain'] else ', uncertain'}", file=sys.stderr)


if __name__ == "__main__":
    main()
