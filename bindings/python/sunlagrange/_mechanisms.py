# SPDX-License-Identifier: BSD-3-Clause
"""Writes the mechanisms of the program sunlagrange as model files: `python3 -m sunlagrange._mechanisms PROGRAM FOLDER`."""

import os
import subprocess
import sys


def export(program, folder):
    """Those that a file can hold; the program names the others, and why."""
    os.makedirs(folder, exist_ok=True)
    listed = subprocess.run([program, "list", "mechanisms"], check=True, capture_output=True, text=True).stdout
    for name in (line.split()[0] for line in listed.splitlines() if line.startswith("  ")):
        done = subprocess.run([program, "export", name], capture_output=True, text=True)
        if done.returncode == 0:
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
                file.write(done.stdout)


if __name__ == "__main__":
    export(*sys.argv[1:])
