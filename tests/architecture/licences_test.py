# SPDX-License-Identifier: BSD-3-Clause
"""Every source file names its licence, and the texts of the licences are there (https://reuse.software)."""

import os
import sys

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import add_spdx  # noqa: E402


def contents(file):
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        return text.read()


def test_every_source_file_names_its_licence():
    assert [file for file, _ in add_spdx.lacking()] == [], "run scripts/add_spdx.py"
    assert sum(add_spdx.line_for(file) is not None for file in add_spdx.files()) > 1000


@pytest.mark.parametrize("file, line", [
    ("src/model/assembly.cpp", "// SPDX-License-Identifier: BSD-3-Clause\n"),
    ("tests/CMakeLists.txt", "# SPDX-License-Identifier: BSD-3-Clause\n"),
    ("src/page/page.css", "/* SPDX-License-Identifier: BSD-3-Clause */\n"),
    ("scripts/test.sh", "# SPDX-License-Identifier: BSD-3-Clause\n"),
    ("examples/pendulum.cpp", None), ("third_party/uplot/uPlot.min.css", None), ("docs/limits.md", None)])
def test_the_line_is_a_comment_of_the_language(file, line):
    assert add_spdx.line_for(file) == line


def test_the_line_stands_behind_the_name_of_the_interpreter():
    line = "# SPDX-License-Identifier: BSD-3-Clause\n"
    assert add_spdx.with_line("#!/bin/sh\necho\n", line) == f"#!/bin/sh\n{line}echo\n"
    assert add_spdx.with_line("import os\n", line) == f"{line}import os\n"


def test_the_texts_of_the_licences_are_those_of_the_files():
    assert contents("LICENSES/BSD-3-Clause.txt") == contents("LICENSE")
    assert contents("LICENSES/MIT.txt") == contents("third_party/uplot/LICENSE")
    tomllib = pytest.importorskip("tomllib")
    rules = tomllib.loads(contents("REUSE.toml"))["annotations"]
    assert [rule["path"] for rule in rules] == ["**", "third_party/uplot/**"]
    for rule in rules:
        assert os.path.exists(os.path.join(ROOT, "LICENSES", f"{rule['SPDX-License-Identifier']}.txt"))
    assert rules[0]["SPDX-FileCopyrightText"] in contents("LICENSE")
    assert rules[1]["SPDX-FileCopyrightText"] in contents("third_party/uplot/LICENSE")
