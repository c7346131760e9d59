"""The tutorial, the README and the example say what works."""

import os
import re
import runpy

import numpy

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
