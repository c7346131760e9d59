#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/compare_results.py BASELINE RESULT [COMMAND]...

Runs two builds of sunlagrange-bench, which runs the commands of sunlagrange as well, with the same commands and compares
their JSON: before and after a change that is to leave the numbers alone. COMMAND is one argument, e.g. "compare two_link"; default: validate, compare andrews, compare
two_link. Timings do not count. A table of what differs goes to stdout; exit code 1 if an outcome or a text
differs, a field is missing, a count by more than 2 %, or an error by more than a factor 1.2 (errors below 1e-10 do not count).
"""
import json
import re
import subprocess
import sys

DEFAULT = ["validate", "compare andrews", "compare two_link"]
TIMING = re.compile(r"second|wall|cpu|time_ratio|version|compiler", re.IGNORECASE)
COUNT = re.compile(r"steps|evaluations|failures|factorizations|refreshes|actions|rejected|jacobian", re.IGNORECASE)
ROUNDING = 1e-10


def document(program, command):
    run = subprocess.run([program, *command.split(), "--json"], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3, 4):
        sys.exit(f"{program} {command} --json: exit code {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def identity(item):
    """What a run or comparison is, so that new ones between the old do not shift them."""
    if not isinstance(item, dict):
        return ""
    words = [str(item[key]) for key in ("mechanism", "run", "formulation", "integrator", "rtol") if key in item]
    return ", ".join(words) + (" " if words else "")


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, item in value.items():
            if not TIMING.search(key):
                yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        seen = {}
        for item in value:
            name = identity(item)
            seen[name] = seen.get(name, -1) + 1
            yield from leaves(item, f"{path}[{name}{seen[name]}]")
    else:
        yield path, value


def verdict(path, before, after):
    """None: the same. Otherwise (kind, ok)."""
    if before == after:
        return None
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (before, after))
    if not numbers:
        return "text", False
    if COUNT.search(path.rsplit(".", 1)[-1]):
        return "count", abs(after - before) <= max(2.0, 0.02 * abs(before))
    largest, smallest = max(abs(before), abs(after)), min(abs(before), abs(after))
    return "number", largest < ROUNDING or largest <= 1.2 * smallest


def compare(command, baseline, result):
    before, after = (dict(leaves(document(program, command))) for program in (baseline, result))
    differing = {"text": 0, "count": 0, "number": 0}
    bad = []
    for path in sorted(before):
        if path not in after:
            bad.append((path, before[path], "missing"))
            continue
        found = verdict(path, before[path], after[path])
        if found is None:
            continue
        differing[found[0]] += 1
        if not found[1]:
            bad.append((path, before[path], after[path]))
    print(f"{command}: {len(before)} values; differing: {differing['text']} texts, {differing['count']} counts, "
          f"{differing['number']} numbers; beyond the limits: {len(bad)}; new: {len(set(after) - set(before))}")
    for path, x, y in bad:
        print(f"    {path}: {x} -> {y}")
    return not bad


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    baseline, result, *commands = sys.argv[1:]
    good = [compare(command, baseline, result) for command in commands or DEFAULT]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
