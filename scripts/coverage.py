#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/coverage.py BUILD_DIR [LARGEST]

Lines of the library that the tests have run, by room, from the counts (*.gcda) in BUILD_DIR, and the LARGEST (default 20)
files by lines that none has run. A line of a template counts as run if any instance ran it. Needs gcov of the compiler.
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]).resolve()
largest = int(sys.argv[2]) if len(sys.argv) > 2 else 20

runs = collections.defaultdict(dict)  # file -> line -> count
for counts in sorted(build.rglob("*.gcda")):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", str(counts)], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for report in pathlib.Path(folder).glob("*.gcov.json.gz"):
            for source in json.loads(gzip.decompress(report.read_bytes()))["files"]:
                path = pathlib.Path(source["file"])
                path = path if path.is_absolute() else build / path
                try:
                    name = path.resolve().relative_to(root)
                except ValueError:
                    continue  # a header of the system
                if name.parts[0] not in ("src", "include"):
                    continue
                lines = runs[name]
                for line in source["lines"]:
                    lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]

rooms = collections.defaultdict(lambda: [0, 0])
for name, lines in runs.items():
    depth = 2 if name.parts[0] == "src" else 3
    room = name.parts[depth - 1] if len(name.parts) > depth else "umbrella"
    for which in (room, "together"):
        rooms[which][0] += sum(count > 0 for count in lines.values())
        rooms[which][1] += len(lines)

print(f"{'room':<16}{'run':>8}{'lines':>8}{'share':>9}")
for room, (run, lines) in sorted(rooms.items(), key=lambda item: (item[0] == "together", item[0])):
    print(f"{room:<16}{run:>8}{lines:>8}{run / max(lines, 1):>9.1%}")
print()
print("most lines that no test ran")


def ranges(numbers):
    """[1, 2, 3, 7] -> 1-3, 7"""
    parts = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


missed = {name: [line for line, count in lines.items() if count == 0] for name, lines in runs.items()}
for name, lines in sorted(missed.items(), key=lambda item: -len(item[1]))[:largest]:
    if lines:
        print(f"{len(lines):>5}  {name}: {ranges(lines)}")
