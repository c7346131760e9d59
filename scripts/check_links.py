#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/check_links.py FILE|FOLDER... : the links and pictures of these Markdown documents lead to files that are there.

scripts/docs.sh looks at the documents of the tree, and the test architecture/consumer at those of an installation. Blocks of
code are left out. Returns 1 if something leads nowhere.
"""

import os
import re
import sys


def documents(names):
    for name in names:
        if os.path.isfile(name):
            yield name
        for folder, _, files in os.walk(name):
            yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith(".md"))


def targets(file):
    with open(file, encoding="utf-8") as stream:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", stream.read(), flags=re.M | re.S)
    return re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^":]+)"', text)


def main():
    looked, faults = 0, 0
    for file in documents(sys.argv[1:]):
        for target in targets(file):
            looked += 1
            if not os.path.exists(os.path.join(os.path.dirname(file), target)):
                print(f"{file}: {target} leads nowhere")
                faults += 1
    print(f"{looked} links of documents; {faults} lead nowhere")
    return 1 if faults or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
