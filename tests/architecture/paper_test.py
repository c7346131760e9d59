# SPDX-License-Identifier: BSD-3-Clause
"""The paper: sections that the journal wants, citations with entries, and figures of benchmarks/results only."""

import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Quality", "Performance",
            "Research impact statement", "AI usage disclosure", "Acknowledgements", "References"]
PEERS = {"MuJoCo", "Drake", "Exudyn", "Simbody", "Chrono", "MBSim", "Pinocchio", "Assimulo"}


def contents(file):
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        return text.read()


PAPER = contents("paper/paper.md")


def section(name):
    return re.search(rf"(?ms)^# {name}\n(.*?)(?=^# |\Z)", PAPER)[1]


def tables(text):
    return [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def test_sections_are_those_of_the_journal():
    assert re.findall(r"(?m)^# (.*)$", PAPER) == SECTIONS
    for field in "title", "tags", "authors", "affiliations", "date", "bibliography":
        assert re.search(rf"(?m)^{field}:", PAPER.split("---")[1]), field
    prose = [line for line in PAPER.split("---", 2)[2].splitlines() if not line.startswith("|")]
    assert 750 <= len(" ".join(prose).split()) <= 1750


def test_every_citation_has_an_entry_and_every_entry_is_cited():
    cited = set(re.findall(r"@(\w+)", "".join(re.findall(r"\[@[^]]*\]", PAPER))))
    entries = re.findall(r"(?m)^@\w+\{(\w+),$", contents("paper/paper.bib"))
    assert cited == set(entries) and len(set(entries)) == len(entries)
    for entry in re.split(r"(?m)^@", contents("paper/paper.bib"))[1:]:
        assert "author = {" in entry and "title = {" in entry and entry.count("{") == entry.count("}"), entry[:40]


def test_peers_are_compared_feature_by_feature_and_each_lacks_something():
    head, _, *rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in tables(section("State of the field"))[0]]
    assert set(head[1:-1]) == PEERS and head[-1] == "sunlagrange"
    assert all(set(row[1:]) <= {"yes", "partly", "-"} and len(row) == len(head) for row in rows)
    assert any(row[-1] == "-" for row in rows), "a table in which only one side wins is an advertisement"
    lacks = re.findall(r"(?m)^- (\w+) ", section("State of the field"))
    assert set(lacks) == PEERS


def test_figures_are_those_of_the_measurements():
    measured = set(contents("benchmarks/results/README.md").splitlines())
    marked = re.findall(r"<!-- rows of benchmarks/results/README.md -->\n((?:\|.*\n)+)", PAPER)
    assert len(marked) == 3
    for table in marked:
        for row in table.splitlines():
            assert row in measured or set(row) <= {"|", "-"}, row
    words = re.sub(r"(?m)^\|.*$", "", section("Performance"))
    figures = re.findall(r"(?<![\w-])\d[\d.e-]*", re.sub(r"RADAU5|1e-2|1e-8", "", words))
    assert figures == [], "figures stand in rows of the measurements"
