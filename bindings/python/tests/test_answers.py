# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/answers: each program has at most 15 lines, runs, and prints what stands below it."""

import contextlib
import io
import os
import re
import subprocess

import pytest

FOLDER = os.path.join(os.environ["SUNLAGRANGE_SOURCE"], "docs/answers")
PAGES = sorted(file for file in os.listdir(FOLDER) if file.endswith(".md") and file != "README.md")
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-+]?\d+\.?\d*(?:e[-+]\d+)?(?![A-Za-z0-9_])")


def contents(page):
    with open(os.path.join(FOLDER, page), encoding="utf-8") as text:
        return text.read()


def block(page, language):
    found = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", contents(page))
    assert len(found) == 1, f"{page}: {len(found)} blocks of {language}"
    return found[0]


def is_rounding(value):
    return abs(value) < 1e-12


def agree(said, printed):
    """Other compilers and versions of SUNDIALS change counts of steps by a share, and errors (1e-05) by a factor."""
    a, b = float(said), float(printed)
    if is_rounding(a) or is_rounding(b):
        return is_rounding(a) and is_rounding(b)
    if "e" in said:
        return a * b > 0.0 and 0.2 < b / a < 5.0
    is_count = said.isdigit() and len(said) > 2
    return abs(b - a) <= (0.3 if is_count else 0.01) * abs(a)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The command `sunlagrange`, as installed."""
    if "SUNLAGRANGE_PROGRAM" not in os.environ:
        pytest.skip("the program is not built")
    command = tmp_path / "sunlagrange"
    command.symlink_to(os.environ["SUNLAGRANGE_PROGRAM"])
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def output(page):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block(page, "python"), page, "exec"), {})
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_program_of_a_page_prints_its_output(page, tmp_path, monkeypatch, request):
    code = block(page, "python")
    assert len(code.splitlines()) <= 15, page
    monkeypatch.chdir(tmp_path)
    if "scipy" in code:
        pytest.importorskip("scipy")
    if '"sunlagrange"' in code:
        request.getfixturevalue("program")
    if "robot.urdf" in code:
        (tmp_path / "robot.urdf").write_text(block(page, "xml"))
        if subprocess.run(["sunlagrange", "import", "robot.urdf"], capture_output=True, check=False).returncode == 2:
            pytest.skip("the program does not read URDF")
    said, printed = block(page, "text"), output(page)
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", said), printed
    for mine, its in zip(NUMBER.findall(said), NUMBER.findall(printed)):
        assert agree(mine, its), f"{page} says {mine}, and the program prints {its}:\n{printed}"


def test_every_page_is_listed_and_its_links_lead_somewhere():
    assert len(PAGES) >= 7
    assert sorted(re.findall(r"(?m)^- \[.*\]\((.*)\)$", contents("README.md"))) == PAGES
    labels = [re.match(r"# .* \{#(\w+)\}\n", contents(page))[1] for page in [*PAGES, "README.md"]]
    assert len(set(labels)) == len(labels)
    for page in [*PAGES, "README.md"]:
        for target in re.findall(r"\]\(([^)]*)\)", contents(page)):
            assert os.path.exists(os.path.join(FOLDER, target)), f"{page}: {target}"
