#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/record_versions.py [BUILD]

Writes into docs/versions.csv that the whole suite was run in the build folder BUILD: system, compiler, SUNDIALS, and how
the tests ended. A row of the same three is replaced. INSTALL.md gets the table. Without BUILD only the table is written.
A suite that was run in part is refused.
"""

import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIELDS = ["system", "compiler", "SUNDIALS", "indices", "passed", "failed", "date"]
BEGIN, END = "<!-- docs/versions.csv -->\n", "<!-- end of table -->"


def rows():
    with open(ROOT / "docs/versions.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(recorded):
    lines = ["| " + " | ".join(FIELDS) + " |", "|---" * len(FIELDS) + "|"]
    lines += ["| " + " | ".join(row[field] for field in FIELDS) + " |" for row in recorded]
    return "\n".join(lines) + "\n"


def with_table(text, recorded):
    """The text of INSTALL.md with the table of these rows between its markers."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(recorded) + END + rest.split(END, 1)[1]


def results(build):
    """How many tests passed and failed in the last run of ctest, all of them if none was left out."""
    log = (build / "Testing/Temporary/LastTest.log").read_text(encoding="utf-8", errors="replace")
    listed = subprocess.run(["ctest", "-N", "-LE", "slow"], cwd=build, capture_output=True, text=True, check=True).stdout
    total = int(re.search(r"Total Tests: (\d+)", listed)[1])
    run = len(re.findall(r"(?m)^ *\d+/\d+ Testing: ", log))
    if run < total:
        sys.exit(f"{build}: {run} of {total} tests were run; run ctest without a selection, then this again")
    passed = len(re.findall(r"(?m)^Test Passed\.$", log))
    return {"passed": str(passed), "failed": str(run - passed)}


def measured(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"(?m)^CMAKE_CXX_COMPILER:\w+=(.*)$", cache)[1]
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    package = pathlib.Path(re.search(r"(?m)^SUNDIALS_DIR:\w+=(.*)$", cache)[1])
    version = re.search(r'PACKAGE_VERSION "([^"]+)"', (package / "SUNDIALSConfigVersion.cmake").read_text())[1]
    for prefix in package.parents:
        header = prefix / "include/sundials/sundials_config.h"
        if header.exists():
            break
    system = dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text()))
    return {
        "system": f"{system['NAME'].split()[0]} {system.get('VERSION_ID', '')}".strip(),
        "compiler": f"{'clang' if 'clang' in said else 'g++'} {re.search(r'[0-9]+[.][0-9]+[.][0-9]+', said)[0]}",
        "SUNDIALS": version,
        "indices": "64 bit" if re.search(r"(?m)^#define SUNDIALS_INT64_T", header.read_text()) else "32 bit",
        **results(build),
        "date": datetime.date.today().isoformat(),
    }


def main():
    recorded = rows()
    if len(sys.argv) == 2 and os.path.isdir(sys.argv[1]):
        new = measured(pathlib.Path(sys.argv[1]))
        same = FIELDS[:4]
        recorded = [row for row in recorded if any(row[field] != new[field] for field in same)] + [new]
        recorded.sort(key=lambda row: [row[field] for field in same])
        with open(ROOT / "docs/versions.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(recorded)
    elif len(sys.argv) > 1:
        sys.exit(__doc__)
    install = ROOT / "INSTALL.md"
    install.write_text(with_table(install.read_text(encoding="utf-8"), recorded), encoding="utf-8")


if __name__ == "__main__":
    main()
