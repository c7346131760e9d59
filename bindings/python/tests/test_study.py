# SPDX-License-Identifier: BSD-3-Clause
"""Studies: the same cases with the same results here, through executors, on Dask, and in the program."""

import concurrent.futures
import inspect
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import sunlagrange as sl

PROGRAM = os.environ.get("SUNLAGRANGE_PROGRAM", "")
VARY = {"rod.L": "normal:0.5:0.05", "v(bob.y)": [0.0, 1.5], "formulation": ["ggl", "projected"]}


def pendulum():
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(positions={"bob.x": 0.5}, t_end=0.3)


def here():
    return sl.study(pendulum(), VARY, samples=3)


def test_cases_are_the_grid_for_every_sample_and_hold_their_values():
    result = here()
    assert len(result) == 12 and result.finished.all() and "12 finished" in repr(result)
    assert [record.case for record in result.records] == list(range(12))
    assert list(result.values) == list(VARY)
    length = result["rod.L"]
    assert len(set(length)) == 3 and (length.reshape(3, 4) == length[::4, None]).all()  # one draw for the whole grid
    assert (result["v(bob.y)"] == [0.0, 0.0, 1.5, 1.5] * 3).all()
    assert (result["formulation"] == ["ggl", "projected"] * 6).all()
    assert numpy.allclose(numpy.hypot(result["bob.x"], result["bob.y"]), length, atol=1e-4)
    assert result.q.shape == result.v.shape == (12, 2) and (result.velocity("bob.y") == result.v[:, 1]).all()
    assert (result.figure("steps") > 0).all()
    kept = pickle.loads(pickle.dumps(result))
    assert kept.records == result.records
    assert (sl.study(pendulum(), VARY, samples=3, seed=2)["rod.L"] != length).all()
    more = sl.study(pendulum(), VARY, samples=4)
    assert more.records[:12] == result.records  # samples can be added


def test_numbers_of_the_motion_and_units():
    asked = ["largest force:rod", "integral bob.x'", "least bob.y"]
    result = sl.study(pendulum(), {"mass.m,weight.m": [(500, "g"), 2.0], "v(bob.y)": [0.0]}, observe=asked)
    assert list(result["mass.m,weight.m"]) == [0.5, 2.0]
    force = result["largest force:rod"]
    assert force[1] == pytest.approx(4.0 * force[0], rel=1e-4) and (result.figure("largest force:rod") == force).all()
    assert result["integral bob.x'"] == pytest.approx(result["bob.x"] - 0.5, abs=1e-7)
    assert (result.observed["least bob.y"] <= result["bob.y"]).all() and (result.figure("bob.y") == result["bob.y"]).all()
    with pytest.raises(KeyError, match="largest force:rod"):
        result["largest force:rd"]
    with pytest.raises(sl.Error, match="no joint is called"):
        sl.study(pendulum(), {"rod.L": [0.5]}, observe=["largest force:bob"])
    one = sl.study(pendulum(), {"rod.L": (50, "cm")}, observe="final bob.x", executor=concurrent.futures.ThreadPoolExecutor(1))
    assert one["final bob.x"] == pytest.approx(one["bob.x"]) and list(one["rod.L"]) == [0.5]


def test_what_is_drawn_has_the_distribution_that_was_asked():
    said = {"rod.L": "normal:0.5:0.01", "mass.m": "uniform:1:3", "weight.m": "loguniform:1:100"}
    result = sl.study(pendulum(), said, samples=400, t_end=1e-3)
    normal = (result["rod.L"] - 0.5) / 0.01
    uniform = (result["mass.m"] - 1.0) / 2.0
    logarithm = numpy.log(result["weight.m"]) / numpy.log(100.0)
    for u in uniform, logarithm:
        assert 0.0 <= u.min() and u.max() < 1.0
        assert abs(numpy.sort(u) - (numpy.arange(400) + 0.5) / 400).max() < 1.63 / 20  # Kolmogorov and Smirnov, 1 %
    assert abs(normal.mean()) < 2.6 / 20 and abs(normal.std() - 1.0) < 2.6 / numpy.sqrt(800)
    assert abs(numpy.corrcoef([normal, uniform, logarithm]) - numpy.eye(3)).max() < 2.6 / 20


def test_a_case_is_the_run_with_these_values():
    result = sl.study(pendulum(), {"tolerance": [1e-4, 1e-6], "q(bob.y)": [0.1, 0.3]}, formulation="ggl")
    for record in result.records:
        tolerance, y = record["values"]["tolerance"], record["values"]["q(bob.y)"]
        run = pendulum().replace(formulation="ggl", rtol=tolerance, atol=tolerance, held_positions={"bob.y": y}).simulate()
        assert record.status == run.outcome == "finished"
        assert (run.q[-1] == record.q_end).all() and run.report.steps == record.steps


class Losing:
    """An executor whose map() loses the last chunk."""

    def map(self, work, chunks):
        return [work(chunk) for chunk in chunks[:-1]]


def test_cases_that_an_executor_loses_are_an_error(tmp_path):
    with pytest.raises(sl.Error, match="executor: it returned no result for 1 of"):
        sl.study(pendulum(), VARY, samples=3, executor=Losing(), chunk=1)
    file = tmp_path / "study.jsonl"
    with pytest.raises(sl.Error, match="resume=True"):
        sl.study(pendulum(), VARY, samples=3, executor=Losing(), chunk=1, file=file)
    assert sl.study(pendulum(), VARY, samples=3, file=file, resume=True).records == here().records



@pytest.mark.parametrize("kind", ["threads", "processes", "pool"])
def test_executors_change_nothing(kind):
    spawn = multiprocessing.get_context("spawn")
    with {"threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
          "processes": lambda: concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn),
          "pool": lambda: spawn.Pool(2)}[kind]() as executor:
        for chunk in None, 5:
            assert sl.study(pendulum(), VARY, samples=3, executor=executor, chunk=chunk).records == here().records


def test_dask_changes_nothing():
    distributed = pytest.importorskip("distributed", reason="needs python3-distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            assert sl.study(pendulum(), VARY, samples=3, executor=client).records == here().records
            workers = set(client.run(os.getpid).values())
            assert len(workers) == 2 and os.getpid() not in workers


def test_a_study_with_a_file_goes_on_where_it_was(tmp_path):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    assert sl.study(pendulum(), VARY, samples=3, file=whole).records == here().records
    assert sl.read_study(whole).records == here().records and sl.read_study(whole).plan == here().plan
    lines = whole.read_text().splitlines(keepends=True)
    for kept in (lines[:1], lines[:5], lines[:1] + lines[3:1:-1], lines[:6] + [lines[6][:20]], [lines[0][:20]]):
        parts.write_text("".join(kept))  # as far as a killed study has come, also in the middle of a line
        assert sl.study(pendulum(), VARY, samples=3, file=parts, resume=True).records == here().records
        assert parts.read_text() == whole.read_text()
    marked = [line.replace('"message":""', '"message":"kept"') for line in lines]
    assert marked != lines
    parts.write_text("".join(marked))  # cases that are there are not run again
    again = sl.study(pendulum(), VARY, samples=4, file=parts, resume=True)
    assert len(again) == 16 and sum(record.message == "kept" for record in again.records) == 12


@pytest.mark.parametrize("kind", ["threads", "pool", "dask"])
def test_executors_write_the_same_file(kind, tmp_path):
    file = tmp_path / "study.jsonl"
    assert sl.study(pendulum(), VARY, samples=2, file=file).finished.all()  # samples can be added
    if kind == "dask":
        distributed = pytest.importorskip("distributed", reason="needs python3-distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                result = sl.study(pendulum(), VARY, samples=3, executor=client, chunk=1, file=file, resume=True)
    else:
        with {"threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
              "pool": lambda: multiprocessing.get_context("spawn").Pool(2)}[kind]() as executor:
            result = sl.study(pendulum(), VARY, samples=3, executor=executor, chunk=1, file=file, resume=True)
    assert result.records == here().records == sl.read_study(file).records
    assert [json.loads(line)["case"] for line in file.read_text().splitlines()[1:]] == list(range(12))  # in their order


KILLED = """
import sys
sys.path.insert(0, {tests!r})
import test_study
test_study.sl.study(test_study.pendulum(), test_study.LONG, samples=10**6, file=sys.argv[1])
"""
LONG = {"rod.L": "normal:0.5:0.05"}


def test_a_study_that_is_killed_loses_nothing(tmp_path):
    file = tmp_path / "study.jsonl"
    child = subprocess.Popen([sys.executable, "-c", KILLED.format(tests=os.path.dirname(__file__)), file])
    try:
        for _ in range(3000):
            if child.poll() is not None or (file.exists() and file.read_bytes().count(b"\n") > 20):
                break
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    finally:
        assert child.wait() == -signal.SIGKILL, "it had ended before it was killed"
    kept = sl.read_study(file)
    assert 20 <= len(kept) < 10**6
    there = file.read_text().splitlines()[:len(kept) + 1]
    samples = len(kept) + 20
    result = sl.study(pendulum(), LONG, samples=samples, file=file, resume=True)
    assert result.records == sl.study(pendulum(), LONG, samples=samples).records
    assert file.read_text().splitlines()[:len(there)] == there and len(file.read_text().splitlines()) == samples + 1


def test_ctrl_c_keeps_the_cases_that_are_done(tmp_path):
    file = tmp_path / "study.jsonl"
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="study was interrupted after") as stopped:
        sl.study(pendulum(), {"rod.L": "normal:0.5:0.05"}, samples=10**6, file=file)
    timer.join()
    partial = stopped.value.partial
    assert isinstance(stopped.value, sl.Interrupted) and partial.finished.all() and 0 < len(partial) < 10**6
    assert sl.read_study(file).records == partial.records


def test_what_cannot_be_resumed_is_refused(tmp_path):
    file, other = tmp_path / "study.jsonl", tmp_path / "other.jsonl"
    sl.study(pendulum(), VARY, samples=1, file=file)
    before = file.read_text()

    def refused(match, model=None, vary=VARY, **said):
        with pytest.raises(sl.Error, match=match):
            sl.study(model or pendulum(), vary, **{"samples": 1, "file": file, "resume": True, **said})
        assert file.read_text() == before

    refused("exists; add resume=True", resume=False)
    refused(r"seed 1 \(now 2\)", seed=2)
    refused("other options", t_end=0.4)
    refused("vary", vary={"rod.L": "normal:0.5:0.06"}, )
    refused("are no longer those of", model=pendulum().with_parameters({"mass.m": 3.0}))
    refused("which file", file=None)
    refused("is a folder", file=tmp_path)
    refused("folder exists", file=tmp_path / "no" / "study.jsonl")
    for bad in (None, 1, "yes"):
        refused("resume=", resume=bad) if bad is not None else refused("resume=None", resume=None)
    refused("file=1", file=1)
    other.write_text("{}\n")
    refused("not the file of a study", file=other)
    for line in ('{"case": 1}\n', "[" * 100000 + "\n", "[" * 100000 + "]" * 100000 + "\n"):
        other.write_text(before + line)
        refused("other.jsonl:6: is no line", file=other)
        other.write_text(line)
        refused("not the file of a study", file=other)
        with pytest.raises(sl.Error, match="not the file of a study"):
            sl.read_study(other)


@pytest.mark.skipif(not PROGRAM, reason="needs sunlagrange")
def test_the_program_and_python_resume_each_others_files(tmp_path):
    model, file = tmp_path / "model.json", tmp_path / "study.jsonl"
    pendulum().write(model)
    arguments = ["--vary", "rod.L=normal:0.5:0.05", "--vary", "v(bob.y)=0,1.5", "--vary", "formulation=ggl,projected"]

    def program(samples):
        done = subprocess.run([PROGRAM, "study", model, *arguments, "--samples", str(samples), "--out", file, "--resume"],
                              capture_output=True, text=True)
        assert done.returncode in (0, 4), done.stderr

    vary = {"rod.L": "normal:0.5:0.05", "v(bob.y)": [0, 1.5], "formulation": ["ggl", "projected"]}
    sl.study(sl.read(model), vary, samples=1, file=file)
    program(2)
    result = sl.study(sl.read(model), vary, samples=3, file=file, resume=True)
    program(3)
    assert result.records == sl.read_study(file).records and len(result) == 12
    assert (result.q == here().q).all()


@pytest.mark.skipif(not PROGRAM, reason="needs sunlagrange")
def test_the_program_writes_the_same(tmp_path):
    model, file = tmp_path / "model.json", tmp_path / "study.jsonl"
    pendulum().write(model)
    arguments = ["--vary", "rod.L=normal:0.5:0.05", "--vary", "v(bob.y)=0,1.5", "--vary", "formulation=ggl,projected"]
    done = subprocess.run([PROGRAM, "study", model, *arguments, "--samples", "3", "--out", file, "--jobs", "2"],
                          capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr  # lengths that change move the start
    read = sl.read_study(file)
    assert read.records == here().records and read.plan.digest == here().plan.digest
    heading = tmp_path / "heading.jsonl"
    heading.write_text(file.read_text().splitlines(keepends=True)[0])
    begun = sl.read_study(heading)  # no case is done
    assert len(begun) == 0 and begun.finished.shape == (0,) and not begun.finished.any()
    assert begun.q.shape == (0, 2) and begun["rod.L"].shape == (0,) and "no case yet" in repr(begun)
    with open(file, "a", encoding="utf-8") as out:
        out.write('{"case": 12, "val')  # killed while it wrote
    assert len(sl.read_study(file)) == 12
    with pytest.raises(sl.Error, match="not the file of a study"):
        sl.read_study(model)


def test_a_case_that_fails_costs_only_itself():
    result = sl.study(pendulum(), {"q(bob.y)": [0.1, 0.6], "max_steps": [3, 100000]}, formulation="ggl")
    assert list(result.status) == ["step_limit", "finished", "infeasible", "infeasible"]
    assert numpy.isnan(result.q[[0, 2, 3]]).all() and not numpy.isnan(result.q[1]).any()
    assert all(record.message for record in result.records if record.status != "finished")
    drawn = sl.study(pendulum(), {"rod.L": "normal:0.1:0.2"}, samples=20, formulation="ggl")  # some are negative
    assert set(drawn.status[drawn["rod.L"] <= 0]) == {"refused"} and 0 < drawn.finished.sum() < 20
    refused = drawn.records[int(numpy.argmin(drawn["rod.L"]))]
    assert "L" in refused.message and refused.steps is None


def test_functions_as_models_can_be_studied():
    def force(t, q, v):
        if t > 0.05 and v[1] < -6.0:
            raise ValueError("too fast")
        return [0.0, -9.81]

    model = sl.FunctionModel(["x", "y"], lambda t, q: numpy.eye(2), force, lambda t, q: [(q @ q - 1.0) / 2], 1,
                             positions={"x": 1.0}, t_end=0.1, formulation="ggl")
    result = sl.study(model, {"v(y)": [0.0, -10.0]})
    assert list(result.status) == ["finished", "model_error"] and "too fast" in result.records[1].message
    assert len(model.simulate().t) > 2  # what was raised there is forgotten
    with concurrent.futures.ProcessPoolExecutor(1) as executor, pytest.raises((AttributeError, pickle.PicklingError)):
        sl.study(model, {"v(y)": [0.0]}, executor=executor)  # lambdas do not travel


@pytest.mark.parametrize("vary, said, message", [
    ({"rodd.L": [1.0]}, {}, 'did you mean "rod.L"'),
    ({"formulatoin": ["ggl"]}, {}, "formulation"),
    ({"formulation": ["gl"]}, {}, "did you mean ggl"),
    ({"q(bob.z)": [0.1]}, {}, "bob.x"),
    ({"rod.L": [1.0, -1.0]}, {}, "L"),
    ({"rod.L": ["long"]}, {}, "is not a number"),
    ({"rod.L": "linear:1:2"}, {}, "linear:FROM:TO:COUNT"),
    ({"rod.L": "linaer:1:2:3"}, {}, 'did you mean "linear"'),
    ({"rod.L": "log:-1:2:3"}, {}, "positive"),
    ({"rod.L": "uniform:2:1"}, {}, "FROM"),
    ({"formulation": "uniform:0:1"}, {}, "formulation"),
    ({"rod.L": [1.0]}, {"samples": 5}, "nothing is drawn"),
])
def test_mistakes_are_named_before_anything_runs(vary, said, message):
    with pytest.raises(sl.Error, match=message):
        sl.study(pendulum(), vary, **said)


def test_a_study_has_a_page_with_a_curve_for_each_case(tmp_path):
    result = sl.study(pendulum(), {"rod.L": [0.4, 0.5, 0.6]})
    result.write_html(tmp_path / "study.html")
    page = (tmp_path / "study.html").read_text()
    assert "3 of 3 cases finished" in page and page.count('"rod.L = 0.4"') == 3  # bob.x, bob.y, force
    kept = pickle.loads(pickle.dumps(result))
    assert (kept["bob.x"] == result["bob.x"]).all()
    with pytest.raises(sl.Error, match="before it is pickled"):
        kept.html()


def test_it_is_documented():
    assert "executor" in inspect.signature(sl.study).parameters and "normal:MEAN:DEVIATION" in sl.study.__doc__
    assert json.loads(json.dumps(here().records)) == here().records


def test_the_record_of_a_case_that_fails_says_in_short_what_its_function_raised():
    def pull(t):
        if t > 0.3:
            raise ValueError("too late")
        return 1.0

    model = sl.Assembly()
    x = model.add_coordinates("x", "translation")
    model.add("mass", sl.SlidingMass(1.0), x)
    model.add("pull", sl.AxialForce(pull), x)
    [record] = sl.study(model, {"mass.inertia": [1.0]}, t_end=1.0).records
    assert record.message.endswith("pull.law: ValueError: too late") and record.message in str(record)
