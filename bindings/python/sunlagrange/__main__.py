# SPDX-License-Identifier: BSD-3-Clause
"""The program sunlagrange: `python3 -m sunlagrange run model.json`, with its arguments and exit codes."""

import os
import shutil
import sys
from pathlib import Path


def program():
    """Returns the program that is installed with the package or stands on PATH, or None."""
    name = "sunlagrange" + (".exe" if os.name == "nt" else "")
    package = Path(__file__).resolve().parent
    for folder in (package, *package.parents[:4]):  # PREFIX/lib/python3.X/dist-packages/sunlagrange, and PREFIX/bin
        found = folder / "bin" / name
        if found.is_file() and os.access(found, os.X_OK):
            return str(found)
    return shutil.which(name)


def main():
    found = program()
    if found is None:
        sys.exit("sunlagrange: the program is not installed beside the Python package and is not on PATH; install it, e.g. "
                 "the Debian package sunlagrange, or `cmake --install` without a component")
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
