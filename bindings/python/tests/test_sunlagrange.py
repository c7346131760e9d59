"""The Python package: it says and does what the library does, and its mistakes are named."""

import ast
import json
import os
import pickle
import runpy
import signal
import threading

import numpy
import pytest

import sunlagrange as sl


def pendulum(**options):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"start": {"bob.x": 0.5}, "t_end": 1.0, "formulation": "ggl", **options})


def test_a_pendulum_moves_on_its_circle_and_keeps_its_energy():
    run = pendulum(rtol=1e-8, atol=1e-10).simulate()
    assert run.finished and run.outcome == "finished"
    x, y = run["bob.x"], run["bob.y"]
    assert numpy.allclose(numpy.hypot(x, y), 0.5, atol=1e-7)
    energy = 0.5 * (run.v**2).sum(axis=1) + 9.81 * y
    assert numpy.abs(energy - energy[0]).max() < 1e-5
    assert "ggl" in run.report and "ggl" in run._repr_html_()


def test_the_rod_pulls_with_weight_and_centripetal_force():
    run = pendulum(rtol=1e-8, atol=1e-10).simulate()
    force = run.forces("rod")
    along = -(force * run.q).sum(axis=1) / 0.5
    speed2 = (run.v**2).sum(axis=1)
    assert numpy.allclose(along, 2.0 * (speed2 / 0.5 - 9.81 * run["bob.y"] / 0.5), atol=1e-3)


def test_arrays_are_views_of_what_was_recorded():
    run = pendulum().simulate()
    assert not run.q.flags.owndata and not run.q.flags.writeable
    q = run.q
    first = q[0].copy()
    del run
    assert (q[0] == first).all()


def test_a_written_model_moves_bit_for_bit_the_same():
    model = pendulum()
    again = sl.Mechanism(model.text)
    a, b = model.simulate(), again.simulate()
    assert (a.t == b.t).all() and (a.q == b.q).all() and (a.multipliers == b.multipliers).all()


def test_models_and_runs_are_pickled():
    run = pickle.loads(pickle.dumps(pendulum().simulate()))
    fresh = pendulum().simulate()
    assert (run.q == fresh.q).all() and run.report and (run["bob.x"] == fresh["bob.x"]).all()
    assert pickle.loads(pickle.dumps(run.mechanism)).text == run.mechanism.text
    with pytest.raises(RuntimeError):
        run.position_at(0.5)


def test_dense_output_is_the_recorded_state_at_its_time():
    run = pendulum().simulate()
    k = len(run.t) // 2
    assert numpy.allclose(run.position_at(run.t[k]), run.q[k], atol=1e-12)
    assert run.position_at([0.1, 0.2]).shape == (2, 2)


def test_every_type_of_the_schema_is_a_class_with_parameters_and_their_meaning():
    choices = sl.schema()["properties"]["elements"]["items"]["oneOf"]
    assert len(choices) > 60
    for choice in choices:
        element = getattr(sl, choice["properties"]["type"]["const"])
        element()
        for parameter in choice["properties"]["parameters"]["properties"]:
            assert f"{parameter}: " in element.__doc__
    assert "length [m]" in sl.Distance.__doc__ and "positive" in sl.Distance.__doc__
    assert "OnBody" in sl.LinearSpring.__doc__ and "SplineTable" in sl.PrescribedCoordinate.__doc__


def test_names_that_python_keeps_for_itself_end_with_an_underscore():
    step = sl.SmoothStep(from_=1.0, to=2.0)
    assert step.document() == {"from": 1.0, "to": 2.0}


def test_laws_and_ends_go_where_they_are_wanted():
    model = sl.Assembly()
    arm = model.add_coordinates("arm", "planar_body")
    model.add("inertia", sl.PlanarRigidBody(), arm)
    model.add("spring", sl.LinearSpring(k=200.0, l0=0.4, a=sl.OnBody(sx=0.5), b=sl.OnGround(y=1.0)), arm)
    model.add("drive", sl.PrescribedCoordinate(law=sl.SplineTable(times=numpy.array([0.0, 1.0]), values=[0.0, 2.0])),
              arm.phi)
    run = sl.simulate(model, t_end=0.5)
    assert run.finished
    assert run["arm.phi"][-1] == pytest.approx(1.0, abs=1e-5)


def test_zeros_of_events_are_found_and_stop_the_run():
    times = pendulum().simulate(events={"bottom": lambda t, q, v: q[0]}).events
    assert times and times[0][0] == "bottom"
    run = pendulum().simulate(stop={"bottom": lambda t, q, v: q[0]})
    assert run.finished and run.t[-1] == pytest.approx(times[0][1], abs=1e-9)


def test_starts_freedoms_and_advice():
    state = pendulum(start={"bob.x": 0.6}).consistent_state()
    assert numpy.hypot(*state["q"]) == pytest.approx(0.5) and state["feasible"]
    freedoms = pendulum().redundancy()
    assert freedoms["degrees_of_freedom"] == 1 and freedoms["redundant"] == 0
    assert pendulum().advice()


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="PointMass has no parameter 'mass'; it has: m"):
        sl.PointMass(mass=1.0)
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("rod", sl.DistanceToGround(L=-1.0), bob)
    with pytest.raises(sl.Error, match="rod.*L = -1: must be positive"):
        model.build()
    with pytest.raises(sl.Error, match="did you mean ggl"):
        pendulum(formulation="gl")
    with pytest.raises(TypeError, match="SplineTable"):
        sl.Assembly().add("motor", sl.AppliedTorque(law=lambda t: t), "phi")
    with pytest.raises(ZeroDivisionError):
        pendulum().simulate(events={"wrong": lambda t, q, v: 1 / 0})


def test_ctrl_c_stops_a_run_and_other_threads_go_on_meanwhile():
    ticks = []
    stop = threading.Event()

    def work():
        while not stop.wait(0.02):
            ticks.append(1)

    worker = threading.Thread(target=work)
    worker.start()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            pendulum(t_end=1e7, max_steps=10**9, rtol=1e-9, atol=1e-9).simulate()
    finally:
        stop.set()
        worker.join()
    assert len(ticks) > 5


def test_stubs_name_every_class_with_its_parameters():
    with open(os.path.join(os.path.dirname(sl.__file__), "__init__.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    stubs = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in sl.__all__:
        made = getattr(sl, name)
        if isinstance(made, type) and issubclass(made, sl.Part) and made is not sl.Part:
            arguments = stubs[name].body[1].args.kwonlyargs
            assert [argument.arg for argument in arguments] == list(made.__signature__.parameters)


def test_the_example_runs():
    result = runpy.run_path(os.path.join(os.environ["PYTHON_EXAMPLES"], "four_bar.py"))
    assert result["run"].finished
    assert json.loads(result["run"].mechanism.text)["elements"]
