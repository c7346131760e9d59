#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/undocumented.py < WARNINGS : the names of the public headers that Doxygen found without a description.

Classes, structs, enumerations, aliases, functions and members need one; docs/site/described.py hands Doxygen those that
the code states once for a visitor or a contract. Without one may be

- names of enumerators (names_of), operators but calls, and deduction guides, which say themselves what they are,
- overrides, which inherit theirs, and members that are deleted or defaulted, or copy or move their type,
- a declaration directly below another of the namespace, or below an overload, which shares its comment.

Returns 1 if a name is left, or if the copy of a header did not reach Doxygen.
"""

import re
import sys

SAYS_ITSELF = re.compile(r"Member (names_of\(|(\w+::)*operator(?!\(\)|\w)|\w+\([^)]*\) ->)")
INHERITS = re.compile(r"\) (const )?(noexcept )?override \(function\)")
COPIES = re.compile(r"Member (\w+)\((const \1 &|\1 &&)\w*\)")
OF_A_TYPE = re.compile(r"Member (?!.* of namespace )(?!.*\(enumeration\))")


def shares_a_comment(lines, number, name):
    """True if the line above belongs to another declaration; of a member, to another with this name."""
    above = number - 2
    while above >= 0 and lines[above].lstrip().startswith("template <"):
        above -= 1
    if above < 0 or lines[above].strip() == "" or lines[above].rstrip().endswith("{"):
        return False
    if name is None:
        return True
    while above > 0 and not re.match(r"  \w", lines[above]):  # the first line of a body
        above -= 1
    return re.search(rf"\b{re.escape(name)}\((?!.*= (default|delete);)", lines[above]) is not None


def main():
    left = []
    for line in sys.stdin:
        if "No such file" in line:
            left.append(line.strip())
        found = re.match(r"(.*?):(\d+): warning: (.*) is not documented\.", line)
        if not found:
            continue
        file, number, what = found.group(1), int(found.group(2)), found.group(3)
        if SAYS_ITSELF.match(what) or INHERITS.search(what) or COPIES.match(what):
            continue
        with open(file, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
        name = None
        if OF_A_TYPE.match(what):
            if re.search(r"= ?(default|delete)\b", what + lines[number - 1]):
                continue
            name = re.match(r"Member ([\w~]+)", what).group(1)
        if not shares_a_comment(lines, number, name):
            left.append(f"{file}:{number}: {what} has no description")
    print(*left, f"{len(left)} names of the public headers have no description", sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
