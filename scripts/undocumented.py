#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/undocumented.py < WARNINGS : the names of the public headers that Doxygen found without a description.

Classes, structs, enumerations, aliases and functions of the namespace need one. A declaration directly below another shares
its comment. Names of enumerators (names_of), operators and deduction guides say themselves what they are. Returns 1 if a
name is left, and prints how many members of classes have no comment of their own (these have names, units and ranges in
their descriptions, or are the members that every element has).
"""

import re
import sys

SAYS_ITSELF = re.compile(r"Member (names_of\(|operator|\w+\([^)]*\) ->)")


def shares_a_comment(place):
    """True if the line above belongs to another declaration."""
    file, line = place.rsplit(":", 1)
    with open(file, encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    above = int(line) - 2
    while above >= 0 and lines[above].startswith("template <"):
        above -= 1
    return above >= 0 and lines[above].strip() != "" and not lines[above].rstrip().endswith("{")


def main():
    left, members = [], 0
    for line in sys.stdin:
        found = re.match(r"(.*?:\d+): warning: (.*) is not documented\.", line)
        if not found:
            continue
        place, what = found.groups()
        if what.startswith("Member") and " of namespace " not in what and "(enumeration)" not in what:
            members += 1
        elif not SAYS_ITSELF.match(what) and not shares_a_comment(place):
            left.append(f"{place}: {what} has no description")
    print(*left, f"{members} members of classes have no comment of their own", sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
