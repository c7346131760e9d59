# SPDX-License-Identifier: BSD-3-Clause
"""The tutorial, the README and the example say what works."""

import json
import os
import re
import runpy

import numpy

import sunlagrange as sl

SOURCE = os.environ["SUNLAGRANGE_SOURCE"]


def contents(file):
    with open(os.path.join(SOURCE, file), encoding="utf-8") as text:
        return text.read()


def test_the_blocks_of_the_tutorial_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", contents("docs/python.md"), re.DOTALL)
    assert len(blocks) >= 10
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert {"four_bar.html", "four_bar.csv", "four_bar.json"} <= set(os.listdir(tmp_path))


def test_the_block_of_the_readme_is_the_example_which_runs(capsys):
    assert re.findall(r"```python\n(.*?)```", contents("README.md"), re.DOTALL) == [contents("examples/pendulum.py")]
    run = runpy.run_path(os.path.join(SOURCE, "examples/pendulum.py"))["run"]
    assert run.finished and numpy.allclose(numpy.linalg.norm(run.q, axis=1), 1.0, atol=1e-4)
    said = capsys.readouterr().out
    assert "finished" in said and "q(5) = [ 0.9423" in said


def test_the_four_bar_prints_its_joint_forces(tmp_path, monkeypatch, capsys):
    assert len(contents("examples/four_bar.py").splitlines()) <= 20
    monkeypatch.chdir(tmp_path)
    run = runpy.run_path(os.path.join(SOURCE, "examples/four_bar.py"))["run"]
    assert run.finished and numpy.allclose(run["crank.phi"], 0.7 + 6.0 * run.t, atol=1e-4)
    page = (tmp_path / "four_bar.html").read_text(encoding="utf-8")
    assert "<title>four-bar" in page and "coupler" in page
    said = capsys.readouterr().out
    assert "finished" in said and "0 redundant" in said
    for joint in "ABCD":  # the largest forces are those of the trajectory
        for body, along in run.joint_forces(joint).items():
            assert f"{joint} on {body}: {numpy.linalg.norm(along.force, axis=1).max():.1f} N" in said


def added(name, code, blocks):
    """The element that a line of Python adds to blocks of these kinds, {name: kind}, as it stands in a model file."""
    model = sl.Assembly()
    names = {block: model.add_coordinates(block, kind) for block, kind in blocks.items()}
    parts = []
    model.add = lambda label, part, *on: parts.append((label, part, on)) or sl.Assembly.add(model, label, part, *on)
    model.body = lambda label, part: parts.append((label, part, ())) or sl.Assembly.body(model, label, part)
    exec(compile(code, name, "exec"), {"model": model, "sl": sl, **names})
    (label, part, on), = parts
    document = {"name": label, "type": type(part).__name__}
    if on:
        document["blocks"] = [str(block) for block in on]
    return {**document, "parameters": part.document()} if part.parameters else document


def test_the_examples_of_elements_say_the_same_in_json_and_in_python():
    elements = {element.name: element for element in sl.elements()}
    shown = 0
    for domain in ("planar", "spatial", "coordinate", "network"):
        sections = re.split(r"^## (\w+)$", contents(f"docs/elements/{domain}.md"), flags=re.MULTILINE)[1:]
        for name, text in zip(sections[::2], sections[1::2]):
            said = json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL).group(1))
            code = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
            blocks = said.get("blocks", [])  # a body has its own
            kinds = elements[name].blocks or ["rotation"] * len(blocks)
            assert added(name, code, dict(zip(blocks, kinds))) == said
            shown += 1
    assert shown == len(elements)


def test_the_examples_of_parts_say_the_same_in_json_and_in_python():
    text = contents("docs/elements/parts.md")
    pairs = re.findall(r"```json\n(.*?)```\n\n```python\n(.*?)```", text, re.DOTALL)
    assert len(pairs) >= 20
    for said, code in pairs:
        part = eval(code, {"sl": sl})
        assert {"type": type(part).__name__, **part.document()} == json.loads(said)


def test_all_options_are_on_their_page():
    text = contents("docs/options.md")
    options = sl.schema()["properties"]["simulation"]["properties"]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(options)
