#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/add_spdx.py [--check]

Puts the line with the licence (https://spdx.org) at the top of every source file that lacks it, behind a line "#!".
--check changes nothing, lists the files, and ends with exit code 1 if there are some. REUSE.toml states the licence of
what has no such line: documents, data, examples, which documents quote as a whole, and third_party.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = "SPDX-License-Identifier: BSD-3-Clause"
WITHOUT = re.compile(r"(build[^/]*|\.git|third_party|examples|docs|tests/fuzz/corpus)/|(.*/)?__pycache__/")
COMMENTS = {  # what stands around the line, by the name of the file
    r"\.(cpp|hpp|c|h|inc|js)$": ("// ", ""),
    r"\.(py|sh|cmake|toml|yml|yaml|rb)$|(^|/)(CMakeLists\.txt|Dockerfile)$|^\.ci/run$": ("# ", ""),
    r"\.css$": ("/* ", " */"),
}


def files():
    """The files of the repository, relative to its root."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout
        return [file for file in listed.splitlines() if (ROOT / file).is_file()]
    return [str(file.relative_to(ROOT)) for file in ROOT.rglob("*") if file.is_file()]


def line_for(file):
    """The line that the file must have; nothing if it has no comments, or is covered by REUSE.toml alone."""
    if WITHOUT.match(file):
        return None
    for name, (before, after) in COMMENTS.items():
        if re.search(name, file):
            return f"{before}{TEXT}{after}\n"
    return None


def with_line(text, line):
    begin = text.find("\n") + 1 if text.startswith("#!") else 0
    return text[:begin] + line + text[begin:]


def lacking():
    """Pairs of a file without the line, and the line."""
    for file in sorted(files()):
        line = line_for(file)
        if line and line not in (ROOT / file).read_text(encoding="utf-8").splitlines(keepends=True)[:2]:
            yield file, line


def main():
    if sys.argv[1:] == ["--check"]:
        found = [file for file, _ in lacking()]
        print("\n".join(found))
        return 1 if found else 0
    if sys.argv[1:]:
        sys.exit(__doc__)
    for file, line in list(lacking()):
        path = ROOT / file
        path.write_text(with_line(path.read_text(encoding="utf-8"), line), encoding="utf-8")
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
