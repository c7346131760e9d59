# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: it says and does what the library does, and its mistakes are named."""

import contextlib
import decimal
import fractions
import html.parser
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading

import numpy
import pytest

import sunlagrange as sl

GRAVITY = 9.81


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"positions": {"bob.x": 0.5}, "t_end": 1.0, "formulation": "ggl", **said})


def accurate(**said):
    return pendulum(rtol=1e-8, atol=1e-10, **said).simulate()


# ---- runs ----------------------------------------------------------------------------------------------------------


def test_a_pendulum_moves_on_its_circle_and_keeps_its_energy():
    run = accurate()
    assert run.finished and run.beyond_doubt and run.outcome == "finished" and run.doubts == []
    assert run.t[0] == 0.0 and run.t[-1] == 1.0 and run.q.shape == (len(run.t), 2)
    assert numpy.allclose(numpy.hypot(run["bob.x"], run["bob.y"]), 0.5, atol=1e-7)
    energy = 0.5 * (run.v**2).sum(axis=1) + GRAVITY * run["bob.y"]
    assert numpy.abs(energy - energy[0]).max() < 1e-5
    assert (run.velocity("bob.y") == run.v[:, 1]).all()


def test_the_rod_pulls_with_weight_and_centripetal_force():
    run = accurate()
    pull = 2.0 * ((run.v**2).sum(axis=1) / 0.5 - GRAVITY * run["bob.y"] / 0.5)  # towards the pin
    expected = -pull[:, None] * run.q / 0.5
    assert numpy.allclose(run.forces("rod"), expected, atol=1e-3)
    on_bob = run.joint_forces("rod")["bob"]
    assert numpy.allclose(on_bob.force[:, :2], expected, atol=1e-3) and (on_bob.force[:, 2] == 0).all()
    assert numpy.allclose(on_bob.point[:, :2], run.q) and list(run.joint_forces()) == ["rod"]
    assert numpy.allclose(run.multipliers_of("rod")[:, 0], run.multipliers[:, 0])


def test_a_doubtful_run_says_why():
    model = pendulum(formulation="unstabilized", integrator="rk1", step=0.02, t_end=2.0)
    with pytest.warns(sl.DoubtWarning) as warned:
        run = model.simulate()
    assert [str(one.message) for one in warned] == [doubt.text for doubt in run.doubts] and warned[0].filename == __file__
    assert run.finished and not run.beyond_doubt
    assert {"position_violation", "energy_balance"} & {doubt.kind for doubt in run.doubts}
    assert all(doubt.text in run.verdict and doubt.value > doubt.allowed for doubt in run.doubts)


def test_the_report_is_text_for_people_and_values_for_programs():
    run = accurate()
    assert "ggl" in str(run) and run.verdict in str(run)
    assert run.report.formulation == "ggl" and run.report["steps"] == len(run.t) - 1
    assert run.report.status == "finished" and run.report.energy_drift < 1e-5 and run.report.event_work is None
    assert {"name": "formulation", "asked": "ggl", "used": "ggl"} in run.report.settings
    with refused("no 'stpes'.*did you mean steps.*there are: .*steps", AttributeError):
        run.report.stpes
    with refused("no 'stpes'.*did you mean steps", KeyError):
        run.report["stpes"]
    assert run.report.get("stpes") is None and not hasattr(run.report, "stpes")


def test_arrays_are_views_of_what_was_recorded():
    run = pendulum().simulate()
    q = run.q
    assert not q.flags.owndata and not q.flags.writeable
    assert q.__array_interface__["data"][0] == run.q.__array_interface__["data"][0]
    first = q[0].copy()
    del run
    assert (q[0] == first).all()


def test_what_is_recorded_can_be_chosen():
    assert len(pendulum().simulate(record="ends_only").t) == 2
    every = pendulum().simulate().t
    assert set(pendulum().simulate(record=5).t) == {*every[::5], every[-1]}
    run = pendulum().simulate(record=numpy.linspace(0.0, 1.0, 11))
    assert (run.t == numpy.linspace(0.0, 1.0, 11)).all()
    assert numpy.allclose(numpy.hypot(run["bob.x"], run["bob.y"]), 0.5, atol=1e-12)


def test_dense_output_is_the_recorded_state_at_its_time():
    run = pendulum().simulate()
    k = len(run.t) // 2
    assert numpy.allclose(run.position_at(run.t[k]), run.q[k], atol=1e-12)
    assert numpy.allclose(run.velocity_at(run.t[k]), run.v[k], atol=1e-10)
    assert run.position_at([0.1, 0.2]).shape == (2, 2)
    with pytest.raises(sl.Error):
        run.position_at(1.5)


def test_a_run_that_fails_keeps_what_it_has():
    with pytest.raises(sl.RunFailed, match="^step_limit at t = .*check=False") as failed:
        pendulum(max_steps=10).simulate()
    assert isinstance(failed.value, sl.Error) and isinstance(failed.value, RuntimeError)
    assert str(pickle.loads(pickle.dumps(failed.value))) == str(failed.value)
    run = pendulum(max_steps=10).simulate(check=False)
    assert (failed.value.run.q == run.q).all() and failed.value.outcome == run.outcome
    stepper = sl.Stepper(pendulum(max_steps=10))
    while stepper.step():
        pass
    with pytest.raises(sl.RunFailed, match="step_limit"):
        stepper.finish()
    assert run.outcome == "step_limit" and not run.finished and run.message
    assert len(run.t) == 11 and run.t[-1] < 1.0 and numpy.isfinite(run.q).all()


def test_progress_is_reported():
    times = []
    run = pendulum().simulate(progress=times.append)
    assert times == sorted(times) and times[0] == 0.0 and set(times) <= set(run.t)


# ---- Ctrl-C, threads -----------------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_run_which_is_kept_and_other_threads_go_on_meanwhile():
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
        with pytest.raises(KeyboardInterrupt) as stopped:
            pendulum(t_end=1e7, max_steps=10**9, rtol=1e-9, atol=1e-9).simulate(record=100)
    finally:
        stop.set()
        worker.join()
    assert len(ticks) > 5
    run = stopped.value.run
    assert isinstance(stopped.value, sl.Interrupted) and run.outcome == "interrupted"
    assert 0.0 < run.t[-1] < 1e7 and numpy.allclose(numpy.hypot(run["bob.x"], run["bob.y"]), 0.5, atol=1e-6)


def test_ctrl_c_in_a_function_of_the_user_keeps_the_run_too():
    def root(t, q, v):
        if t > 0.3:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(sl.Interrupted) as stopped:
        pendulum().simulate(events=[sl.Event("never", root)])
    assert 0.2 < stopped.value.run.t[-1] <= 0.3


def test_runs_in_threads_are_the_same_runs():
    alone = pendulum().simulate()
    runs = [None] * 4

    def work(i):
        runs[i] = pendulum().simulate()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((run.t == alone.t).all() and (run.q == alone.q).all() for run in runs)


# ---- models --------------------------------------------------------------------------------------------------------


def test_a_written_model_moves_bit_for_bit_the_same(tmp_path):
    model = pendulum()
    model.write(tmp_path / "pendulum.json")
    a, b = model.simulate(), sl.read(tmp_path / "pendulum.json").simulate()
    assert (a.t == b.t).all() and (a.q == b.q).all() and (a.multipliers == b.multipliers).all()


def test_models_and_runs_are_pickled():
    fresh = pendulum().simulate()
    run = pickle.loads(pickle.dumps(fresh))
    for name in ("t", "q", "v", "a", "multipliers"):
        assert (getattr(run, name) == getattr(fresh, name)).all(), name
    assert (run["bob.x"] == fresh["bob.x"]).all() and (run.position_at(0.5) == fresh.position_at(0.5)).all()
    assert (run.forces("rod") == fresh.forces("rod")).all()
    assert run.report == fresh.report and str(run) == str(fresh) and run.energy_balance() == fresh.energy_balance()
    assert run.mechanism.text == fresh.mechanism.text
    assert str(fresh) in html_text(run._repr_html_())
    with pytest.raises(sl.Error, match="before it is pickled"):
        run.html()
    none = pickle.loads(pickle.dumps(infeasible().simulate(check=False)))
    assert none.outcome == "infeasible" and none.q.shape == none.multipliers.shape == (len(none.t), 2)


def infeasible():
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    model.add("longer rod", sl.DistanceToGround(L=2.0), bob)
    return model.build(positions={"bob.x": 1.5})


def test_values_may_have_units_and_may_be_arrays():
    a = pendulum(positions={"bob.x": (50, "cm")}).simulate()
    assert (a.q == pendulum().simulate().q).all()
    model = sl.Assembly()
    arm = model.add_coordinates("arm", "planar_body", natural_scale=numpy.array([0.1, 0.1, 1.0]))
    model.add("inertia", sl.PlanarRigidBody(m=(500, "g")), arm)
    model.add("spring", sl.LinearSpring(k=200.0, l0=0.4, a=sl.OnBody(sx=0.5), b=sl.OnGround(y=1.0)), arm)
    model.add("drive", sl.PrescribedCoordinate(law=sl.SplineTable(times=numpy.array([0.0, 1.0]), values=[0.0, 2.0])),
              arm.phi)
    run = sl.simulate(model, t_end=0.5)
    assert run.finished and run["arm.phi"][-1] == pytest.approx(1.0, abs=1e-5)


def test_every_type_of_the_schema_is_a_class_with_parameters_and_their_meaning():
    choices = sl.schema()["properties"]["elements"]["items"]["oneOf"]
    assert len(choices) > 60
    for choice in choices:
        element = getattr(sl, choice["properties"]["type"]["const"])
        for parameter, said in choice["properties"]["parameters"]["properties"].items():
            assert f"{parameter}: {said['description']}" in element.__doc__
            default = inspect.signature(element).parameters[parameter].default
            assert default == said.get("default", inspect.Parameter.empty)
    assert "length [m]" in sl.Distance.__doc__ and "positive" in sl.Distance.__doc__
    assert "OnBody" in sl.LinearSpring.__doc__ and "SplineTable" in sl.PrescribedCoordinate.__doc__
    assert "Blocks: planar_body, planar_body" in sl.Revolute.__doc__


def test_defaults_of_ends_are_what_is_taken_when_nothing_is_said():
    usual = inspect.signature(sl.LinearSpring).parameters["a"].default
    texts = []
    for said in ({}, {"a": getattr(sl, usual)()}, {"a": getattr(sl, usual)}):
        model = sl.Assembly()
        for block in "p", "q":
            model.add_coordinates(block, "planar_point")
        model.add("spring", sl.LinearSpring(**said), "p", "q")
        texts.append(model.build().text)
    assert texts[0] == texts[1] == texts[2]
    model = sl.Assembly()
    with pytest.raises(sl.Error, match='says no "type"; choose one of: Constant'):
        model.add("drive", sl.PrescribedCoordinate(), model.add_coordinates("p", "planar_point").x)


def test_names_that_python_keeps_for_itself_end_with_an_underscore():
    assert sl.SmoothStep(from_=1.0, to=2.0).document() == {"from": 1.0, "to": 2.0}


def test_lists_are_those_of_the_library():
    names = {entry.name for entry in sl.formulations()}
    assert {"baumgarte", "ggl", "index3_augmented_lagrangian"} <= names
    assert {entry.equations for entry in sl.formulations()} == {"ode", "dae", "one_step"}
    assert {"cvode_bdf", "ida", "rk4"} <= {entry.name for entry in sl.integrators()}
    assert {"dense", "klu", "block"} <= {entry.name for entry in sl.linear_solvers()}
    assert all(issubclass(getattr(sl, entry.name), sl.Part) for entry in sl.elements())
    revolute = next(entry for entry in sl.elements() if entry.name == "Revolute")
    assert revolute.blocks == ["planar_body", "planar_body"]
    assert "ida" in pendulum().objection("baumgarte", "ida") and pendulum().objection("ggl", "ida") == ""


# ---- questions -----------------------------------------------------------------------------------------------------


def test_held_coordinates_stay_and_the_rest_is_found():
    state = pendulum(positions={"bob.y": -0.1}, held_positions={"bob.x": 0.3}).consistent_state()
    assert state.q[0] == 0.3 and numpy.hypot(*state.q) == pytest.approx(0.5) and state.feasible
    assert state.most_moved == "bob.y"
    away = pendulum(held_positions={"bob.x": 0.6}, positions={"bob.y": 0.0}).consistent_state()
    assert not away.feasible and away.text


def test_redundant_rows_are_named():
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    model.add("second rod", sl.DistanceToGround(L=1.0), bob)
    freedoms = model.build(positions={"bob.x": 1.0}).redundancy()
    assert (freedoms.rows, freedoms.rank, freedoms.permanent, freedoms.degrees_of_freedom) == (2, 1, 1, 1)
    assert [row["constraint"] for row in freedoms.dependent] == ["second rod"]
    assert freedoms.dependent[0]["relation"] == {"rod": pytest.approx(1.0)}
    assert "second rod" in str(freedoms)


def test_reactions_and_balances_obey_their_laws():
    run = accurate(formulation="baumgarte")
    at = run.reactions(0.5)
    assert numpy.allclose(at.generalized_force, -at.jacobian.T @ [at.ideal["rod"]])
    assert numpy.allclose(2.0 * at.acceleration, at.generalized_force + at.stabilizing_force + [0, -2.0 * GRAVITY])
    power = run.power_balance(0.5)
    assert abs(power.sum) < 1e-9 * power.magnitude and set(power.elements) == {"mass", "weight", "rod"}
    energy = run.energy_balance()
    assert abs(energy.residual) < 1e-6 * energy.turnover
    assert energy.elements["weight"]["stored"] == pytest.approx(-energy.elements["mass"]["stored"], rel=1e-4)


def test_the_quantities_of_the_equations_at_a_point():
    model, run = pendulum(), accurate(formulation="projected")
    at, found = run.reactions(0.5), run.mechanism.evaluate(0.5, run.position_at(0.5), run.velocity_at(0.5))
    assert numpy.allclose(found.M @ at.ideal_acceleration + found.G.T @ [at.ideal["rod"]], found.f, atol=1e-6)
    assert numpy.allclose(found.G @ at.ideal_acceleration, found.gamma, atol=1e-6)
    assert abs(found.g[0]) < 1e-8 and found.status == "finished"
    rest, apart = model.evaluate(0.0, [0.7, 0.1]), model.evaluate(0.0, [0.7, 0.1], [1.0, 0.0])
    assert rest.g[0] != 0 and rest.g_rate[0] == 0 and apart.g_rate[0] == pytest.approx(rest.G[0, 0])


def test_gains_are_advised_and_certified():
    automatic = pendulum(formulation="baumgarte").advice()
    assert automatic.omega > 0 and automatic.warnings == []
    given = pendulum(formulation="baumgarte", integrator="rk4", step=1e-2, gains={"K_D": 2000.0, "K_P": 1e6}).advice()
    assert given.fastest == pytest.approx(1000.0, rel=1e-6) and given.stability_margin < 1
    assert "unstable" in {warning["kind"] for warning in given.warnings}

    steps = {"formulation": "baumgarte", "integrator": "rk4", "step": 1e-3}
    good = pendulum(**steps).certify(eps=1e-6)
    assert good.certified and good.largest_error <= 1e-6 and good.steps == 1000 and good.failures == []
    bad = pendulum(**steps, gains={"K_D": 8000.0, "K_P": 16e6}).certify(eps=1e-6)
    assert not bad.certified and bad.failures[0]["condition"] == "contraction" and "not certified" in str(bad)
    with pytest.raises(sl.Error, match="fixed steps"):
        pendulum().certify()


# ---- events --------------------------------------------------------------------------------------------------------


def test_zeros_of_events_are_found_and_stop_the_run():
    bottom = sl.Event("bottom", lambda t, q, v: q[0])
    run = accurate_with([bottom])
    assert [event.name for event in run.events] == ["bottom"] * len(run.events) and run.events
    for event in run.events:
        assert abs(run.position_at(event.t)[0]) < 1e-7
    stopped = accurate_with([sl.Event("bottom", lambda t, q, v: q[0], stop=True)])
    assert stopped.finished and "bottom" in stopped.message
    assert stopped.t[-1] == pytest.approx(run.events[0].t, abs=1e-9)
    falling = accurate_with([sl.Event("bottom", lambda t, q, v: q[0], crossing="rising")], t_end=2.0)
    assert all(falling.velocity_at(event.t)[0] > 0 for event in falling.events) and falling.events


def accurate_with(events, **said):
    return pendulum(rtol=1e-8, atol=1e-10, **said).simulate(events=events)


def test_impacts_and_breaking_joints():
    model = sl.Assembly()
    ball = model.add_coordinates("ball", "planar_point")
    model.add("mass", sl.PointMass(), ball)
    model.add("weight", sl.UniformGravity(), ball)
    model.add("floor", sl.PrescribedCoordinate(law=sl.Constant(value=0.0)), ball.y)
    run = sl.simulate(model, t_end=1.0, positions={"ball.y": 1.0}, start="as_given",
                      events=[sl.Event.impact("floor", 0.5)])
    drop = numpy.sqrt(2.0 / GRAVITY)
    assert run.events[0].t == pytest.approx(drop, abs=1e-5)
    assert run.events[0].kinetic_energy_after == pytest.approx(0.25 * run.events[0].kinetic_energy_before, rel=1e-6)
    broken = pendulum().simulate(events=[sl.Event.release_when("rod", 80.0)])
    assert len(broken.events) == 1 and broken.events[0].active_constraints == []
    assert numpy.hypot(*broken.q[-1]) > 0.5


# ---- functions of Python as models -----------------------------------------------------------------------------------


def mass(t, q):
    return 2.0 * numpy.eye(2)


def weight(t, q, v):
    return [0.0, -2.0 * GRAVITY]


def rod(t, q):
    return 0.5 * (q @ q - 0.25)


def rod_jacobian(t, q):
    return [q]


@pytest.mark.parametrize("jacobian", [None, rod_jacobian])
def test_functions_of_python_are_a_model(jacobian, tmp_path):
    model = sl.FunctionModel(["x", "y"], mass, weight, constraint=rod, num_constraints=1, constraint_jacobian=jacobian,
                             positions={"x": 0.5}, t_end=1.0, formulation="ggl", rtol=1e-8, atol=1e-10)
    run = model.simulate()
    assert run.beyond_doubt and model.redundancy().degrees_of_freedom == 1
    assert numpy.allclose(run.position_at(1.0), accurate().position_at(1.0), atol=1e-5)
    given = [source for source in run.report.sources if source["quantity"] == "constraint_jacobian"]
    assert ("difference" in given[0]["source"]) == (jacobian is None)
    again = pickle.loads(pickle.dumps(model.replace(t_end=0.5)))
    assert again.simulate().t[-1] == 0.5 and "functions" in repr(again)
    with pytest.raises(sl.Error, match="^text: a FunctionModel is made of functions of Python"):
        model.text
    (tmp_path / "model.json").write_text("kept")
    with pytest.raises(sl.Error, match="^text: a FunctionModel"):
        model.write(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == "kept"


def test_a_jacobian_that_is_none_is_refused():
    with pytest.raises(sl.Error, match='constraint_jacobian: row "constraint", column "[xy]" is .* by differences'):
        sl.FunctionModel(["x", "y"], mass, weight, constraint=rod, num_constraints=1,
                         constraint_jacobian=lambda t, q: [[q[1], q[0]]], positions={"x": 0.5}).simulate()


def test_the_number_of_constraints_is_that_of_the_first_values():
    def model(**said):
        return sl.FunctionModel(["x", "y"], lambda t, q: numpy.eye(2), lambda t, q, v: [0.0, -GRAVITY],
                                positions={"x": 1.0}, t_end=1.0, **said)

    def rod(t, q):
        return [(q @ q - 1.0) / 2.0]

    def slide(t, q, v):
        return v[1] - 0.5 * v[0]

    assert (model(constraint=rod).simulate().q == model(constraint=rod, num_constraints=1).simulate().q).all()
    slid = model(velocity_constraint=slide)
    assert len(slid.constraint_names) == len(slid.replace(t_end=0.5).constraint_names) == 1
    assert abs(slid.simulate()["y"][-1] - 0.5 * (slid.simulate()["x"][-1] - 1.0)) < 1e-6
    for words, said in (("num_constraints=1: constraint is missing", {"num_constraints": 1}),
                        ("num_velocity_constraints=2: velocity_constraint is missing", {"num_velocity_constraints": 2}),
                        ("constraint is given, but num_constraints is 0", {"constraint": rod, "num_constraints": 0}),
                        ("constraint: <lambda> returned None at the start", {"constraint": lambda t, q: None}),
                        ("constraint_jacobian: is given without constraint", {"constraint_jacobian": lambda t, q: [q]})):
        with pytest.raises(sl.Error, match=words):
            model(**said)


def test_functions_may_have_velocity_constraints():
    def skate(t, q, v):  # v along the blade
        return v[0] * numpy.sin(q[2]) - v[1] * numpy.cos(q[2])

    model = sl.FunctionModel(["x", "y", "phi"], lambda t, q: numpy.diag([1.0, 1.0, 0.1]), lambda t, q, v: numpy.zeros(3),
                             velocity_constraint=skate, num_velocity_constraints=1, t_end=2.0, formulation="index2",
                             velocities={"x": 1.0, "phi": 2.0}, rtol=1e-8, atol=1e-10)
    run = model.simulate()
    assert run.finished and numpy.allclose(run.v[:, 2], 2.0, atol=1e-6)
    assert numpy.allclose(numpy.hypot(run.v[:, 0], run.v[:, 1]), 1.0, atol=1e-6)  # nothing works: it goes in a circle
    assert numpy.allclose(numpy.hypot(run["x"], run["y"] - 0.5), 0.5, atol=1e-5)


def test_what_functions_raise_comes_through_and_none_declines_a_point():
    def wrong(t, q, v):
        return [0.0, 1.0 / 0.0]

    with pytest.raises(ZeroDivisionError):
        sl.FunctionModel(["x", "y"], mass, wrong).simulate()
    with pytest.raises(ZeroDivisionError):
        sl.FunctionModel(["x", "y"], mass, lambda t, q, v: wrong(t, q, v) if t > 0.5 else [0.0, 0.0]).simulate()
    with pytest.raises(ZeroDivisionError):
        pendulum().simulate(events=[sl.Event("wrong", lambda t, q, v: 1 / 0)])
    with pytest.raises(sl.Error, match=r"^mass_matrix: returns an array of shape \(3, 3\), must have 2 x 2"):
        sl.FunctionModel(["x", "y"], lambda t, q: numpy.eye(3), weight).simulate()
    for wrong, words in (("down", "returned str, wanted 2 numbers"), (object(), "returned object, wanted 2 numbers"),
                         ([1j, 0], "returned list, wanted 2 numbers, none of them complex"),
                         (numpy.array([1j, 0]), "returned ndarray, wanted 2 numbers, none of them complex"),
                         ([[1], [1, 2]], "returned list, wanted 2 numbers"), (["1", "2"], "returned list")):
        with pytest.raises(sl.Error, match=f"^applied_force: {words}"):
            sl.FunctionModel(["x", "y"], mass, lambda t, q, v: wrong).simulate()
    with pytest.raises(sl.Error, match="event bottom: must return a number"):
        pendulum().simulate(events=[sl.Event("bottom", lambda t, q, v: "no")])
    run = sl.FunctionModel(["x", "y"], mass, lambda t, q, v: None if t > 0.5 else [0.0, 0.0]).simulate(check=False)
    assert not run.finished and run.t[-1] <= 0.5


def test_an_interpreter_ends_well_after_a_function_has_raised():
    code = ("import numpy, sunlagrange as sl\n"
            "sl.FunctionModel(['x'], lambda t, q: numpy.eye(1), lambda t, q, v: [1 / 0])\nprint('made')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "made\n", done.stderr


# ---- pages -----------------------------------------------------------------------------------------------------------


def html_text(page):
    found = []

    class Parser(html.parser.HTMLParser):
        def handle_data(self, data):
            found.append(data)

        def handle_starttag(self, tag, attributes):
            found.extend(value for name, value in attributes if name == "srcdoc")

    Parser().feed(page)
    return "\n".join(found)


def test_a_notebook_shows_the_page_of_the_run(tmp_path):
    run = pendulum().simulate()
    shown = html_text(run._repr_html_())
    assert shown.strip() == run.html().strip() and "rod" in shown
    run.write_html(tmp_path / "run.html", title="swing")
    assert "<title>swing" in (tmp_path / "run.html").read_text(encoding="utf-8")
    run.write_csv(tmp_path / "run.csv")
    rows = numpy.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    assert (rows[:, 0] == run.t).all() and (rows[:, 1:3] == run.q).all()


# ---- mistakes --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def refused(words, kind=Exception):
    """sunlagrange.Error, which is also what Python calls such a mistake; str() is the text alone."""
    with pytest.raises(sl.Error, match=words) as error:
        yield
    assert isinstance(error.value, kind) and not str(error.value).startswith(("'", '"'))
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_mistakes_in_an_assembly_are_refused_where_they_are_made():
    model = sl.Assembly()
    bar = model.add_coordinates("bar", "planar_body")
    mistakes = [('block "arm", field "size"|block "arm".*size', lambda: model.add_coordinates("arm", -1)),
                ("did you mean planar_body", lambda: model.add_coordinates("arm", "planar_bodi")),
                ('block "arm".*scale', lambda: model.add_coordinates("arm", "planar_body", natural_scale=-1.0)),
                ('"bar" is taken', lambda: model.add_coordinates("bar", 2)),
                ('element "mass".*m = -1: must be', lambda: model.add("mass", sl.PlanarRigidBody(m=-1.0), bar)),
                ('element "mass".*field "m".*number', lambda: model.add("mass", sl.PlanarRigidBody(m="1"), bar)),
                ('element "mass".*did you mean bar', lambda: model.add("mass", sl.PlanarRigidBody(), "barr")),
                ("wants a block of kind", lambda: model.add("mass", sl.PlanarRigidBody(), bar.centre)),
                ("acts on 6 coordinates", lambda: model.add("pin", sl.Revolute(), bar)),
                ('"bar" is taken', lambda: model.add("bar", sl.PlanarRigidBody(), bar))]
    for words, mistake in mistakes:
        with refused(words):
            mistake()
    model.add("body", sl.PlanarRigidBody(), bar)
    with refused('"body" is taken'):
        model.add("body", sl.PlanarRigidBody(), bar)
    made = model.build()  # nothing of all that
    assert made.position_names == ["bar.x", "bar.y", "bar.phi"]
    assert [element["name"] for element in json.loads(made.text)["elements"]] == ["body"]


def test_a_dot_behind_a_block_leads_to_its_parts_and_to_nothing_else():
    model = sl.Assembly()
    bar, q = model.add_coordinates("bar", "planar_body"), model.add_coordinates("q", 2)
    assert bar == "bar" and bar.phi == "bar.phi" and bar.centre == "bar.centre" and q[1] == "q[1]"
    for wrong, words in ((lambda: bar.center, "no part of block 'bar' 'center' .did you mean centre"),
                         (lambda: bar.index, "'index'"), (lambda: bar.phi.x, "'x'"), (lambda: bar.centre.x, "'x'")):
        with refused(words, AttributeError):
            wrong()
    with refused("no coordinate of block 'q' 2; there are: 0, 1", KeyError):
        q[2]
    again = pickle.loads(pickle.dumps(bar))
    assert again == bar and again.x == "bar.x" and {"centre", "phi"} <= set(dir(again)) and f"{bar}" == str(bar) == "bar"


def test_one_name_is_a_list_of_one():
    model = pendulum(rtol=1e-6)
    one, several = model.sensitivities("rod.L"), model.sensitivities(["rod.L"])
    assert one.parameters == several.parameters and (one.dq == several.dq).all()
    assert (pendulum(held_positions="bob.x").consistent_state().q == pendulum(held_positions=["bob.x"])
            .consistent_state().q).all()


def test_a_forgotten_return_is_reported():
    def pull(t, q, v):
        numpy.zeros(2)

    with refused("^applied_force: pull returned None; forgot return?"):
        sl.FunctionModel(["x", "y"], mass, pull).simulate()
    with refused("^event low: pull returned None; forgot return?"):
        pendulum().simulate(events=sl.Event("low", pull))


def test_numbers_are_what_float_takes_and_complex_ones_are_refused_by_name():
    model = sl.Assembly()
    q = model.add_coordinates("q", numpy.int64(2), natural_scale=[numpy.float32(0.5), fractions.Fraction(1, 4)])
    model.add("mass", sl.PointMass(m=fractions.Fraction(1, 4)), q)
    model.add("weight", sl.UniformGravity(m=(numpy.float32(0.25), "kg")), ["q"])
    made = model.build(positions={"q[0]": decimal.Decimal("0.5")}, t_end=numpy.float32(0.5),
                       gains={"K_D": numpy.int32(3)})
    said = json.loads(made.text)
    assert [element["parameters"]["m"] for element in said["elements"]] == [0.25, 0.25]
    assert said["start"]["positions"]["q[0]"] == 0.5 and said["simulation"]["gains"]["K_D"] == 3.0
    mistakes = [("element 'a': PointMass: m=1j: must be a real", lambda: model.add("a", sl.PointMass(m=1j), q)),
                ("element 'a': PointMass: m='x': must be", lambda: model.add("a", sl.PointMass(m=("x", "kg")), q)),
                (r"PointMass: m\[1\]=1j: must be a real", lambda: model.add("a", sl.PointMass(m=[1.0, 1j]), q)),
                ("element 'a': block=1: must be a text", lambda: model.add("a", sl.PointMass(), 1)),
                ("block 'r': size=2j: must be a real", lambda: model.add_coordinates("r", 2j)),
                (r"positions=\[1, 2\]: must be a dict", lambda: made.replace(positions=[1, 2])),
                (r"velocities, q\[0\]=1j: must be a real", lambda: made.replace(velocities={"q[0]": 1j})),
                ("rtol=1j: must be a real", lambda: made.replace(rtol=1j)),
                ("held_positions=3: must be a name", lambda: made.replace(held_positions=3)),
                ("values=.*must be a dict", lambda: made.with_parameters([1.0])),
                ("mass.m=1j: must be a real", lambda: made.with_parameters({"mass.m": 1j})),
                ("events=.*must be a list of events", lambda: made.simulate(events=[lambda t, q, v: 1.0])),
                ("events=3: must be a list of events", lambda: sl.Stepper(made, events=3)),
                ("coordinate=.*: must be a text", lambda: made.kinematics(["q[0]"], [0.0, 1.0])),
                ("Event 'low': function=3: must be a function", lambda: sl.Event("low", 3)),
                ("must be a name or a list of names", lambda: made.gradient("final q[0]", 3))]
    for words, mistake in mistakes:
        with refused(words, TypeError):
            mistake()


def test_mistakes_are_named(tmp_path):
    with refused("no mechanism 'bricart'.*did you mean bricard", KeyError):
        sl.mechanism("bricart")
    for wrong, words in ((lambda: sl.PointMass(mass=1.0), "PointMass has no parameter 'mass'.*; it has: m"),
                         (lambda: sl.PointMass(1.0, 2.0), "PointMass: 2 values without a name, but only 1 .*it has: m"),
                         (lambda: sl.PointMass(1.0, m=2.0), "PointMass: m is given twice")):
        with refused(words, TypeError):
            wrong()
    with refused("did you mean PointMass", AttributeError):
        sl.PointMas
    with refused("did you mean .*LinearSpring", AttributeError):  # a part of many names
        sl.Spring
    with pytest.raises(sl.Error, match="did you mean ggl"):
        pendulum(formulation="gl")
    with pytest.raises(sl.Error, match="did you mean t_end"):
        pendulum(t_ende=1.0)
    with pytest.raises(sl.Error, match='"bob.z" is no coordinate'):
        pendulum(positions={"bob.z": 1.0})
    with pytest.raises(sl.Error, match="t_end = -1: must be later"):
        pendulum(t_end=-1).simulate()
    with pytest.raises(sl.Error, match='record "all" is not known'):
        pendulum().simulate(record="all")
    with refused("element 'mass': PointMass: m: cannot be a function; laws of elements can", TypeError):
        sl.Assembly().add("mass", sl.PointMass(lambda t: t), "p")
    with refused("is no element", TypeError):
        sl.Assembly().add("motor", "AppliedTorque", "phi")
    with refused(r"no coordinate 'bob' \(did you mean bob.x, bob.y\?\); there are: bob.x, bob.y", KeyError):
        pendulum().simulate()["bob"]
    with refused("no joint .* 'rd'.*did you mean rod", KeyError):
        pendulum().simulate().joint_forces("rd")
    with pytest.raises(sl.Error, match='no constraint is called "rd"; did you mean "rod"'):
        pendulum().simulate().forces("rd")
    (tmp_path / "wrong.json").write_text('{"blocks": [],\n "elements": 3}')
    with pytest.raises(sl.Error, match='wrong.json:2: .*"elements"'):
        sl.read(tmp_path / "wrong.json")


# ---- stubs, import ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [float("nan"), float("inf"), numpy.float64("-inf")])
def test_what_is_not_finite_is_refused_by_name(value):
    def built(length=1.0, **said):
        model = sl.Assembly()
        bob = model.add_coordinates("bob", "planar_point", natural_scale=said.pop("scale", None))
        model.add("mass", sl.PointMass(), bob)
        model.add("rod", sl.DistanceToGround(L=length), bob)
        return model.build(positions={"bob.x": 1.0}, t_end=0.1).replace(**said)

    for said, words in (({"length": value}, 'element "rod", field "L"'),
                        ({"held_positions": {"bob.x": value}}, 'field "bob.x"'),
                        ({"velocities": {"bob.y": value}}, 'field "velocities", field "bob.y"'),
                        ({"rtol": value}, 'simulation, field "rtol"'),
                        ({"scale": [1.0, value]}, 'block "bob", field "natural_scale"[1]')):
        with pytest.raises(sl.Error, match=re.escape(f"{words} = {float(value)}: must be a finite number")):
            built(**said)


def test_a_run_may_have_its_own_options():
    mechanism = sl.mechanism(sl.mechanisms()[0])
    assert mechanism.simulate(t_end=0.01).t[-1] == sl.simulate(mechanism, t_end=0.01).t[-1] == 0.01


def test_a_page_is_called_as_its_model():
    named = sl.mechanism(sl.mechanisms()[0])
    run = named.simulate(t_end=0.01)
    assert named.name and f"<title>{named.name} - sunlagrange</title>" in run.html()
    assert "<title>other - sunlagrange</title>" in run.html("other")


def test_a_number_is_no_law():
    model = sl.Assembly()
    bar = model.add_coordinates("bar", "planar_body")
    with refused(re.escape("law=sunlagrange.Constant(value=3.0)"), TypeError):
        model.add("motor", sl.PrescribedCoordinate(law=3.0), bar.phi)


def test_everything_public_says_what_it_is():
    for name in sl.__all__:
        made = getattr(sl, name)
        if isinstance(made, type) and issubclass(made, sl.Part):
            assert made.__doc__ or not inspect.signature(made).parameters, name
            continue
        assert made.__doc__, name
        for member, value in vars(made).items() if isinstance(made, type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def imported(**environment):
    code = "import sunlagrange as sl; print(sl.__file__, len(sl.elements()) > 60, sl.mechanisms())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})
    assert " True " in done.stdout, done.stderr
    return done.stdout


def test_what_is_installed_is_the_same_package(tmp_path):
    subprocess.run([os.environ["SUNLAGRANGE_CMAKE"], f"-DCMAKE_INSTALL_PREFIX={tmp_path}", "-P",
                    os.environ["SUNLAGRANGE_INSTALL"]], check=True, capture_output=True)
    site = tmp_path / f"lib/python3.{sys.version_info.minor}/dist-packages"
    said = imported(PYTHONPATH=str(site))
    assert said.startswith(str(site)) and said.replace(str(site), "") == imported().replace(
        os.path.dirname(os.path.dirname(sl.__file__)), "")
    kept = set(os.listdir(os.path.dirname(sl.__file__))) - {"__pycache__"}
    assert set(os.listdir(site / "sunlagrange")) - {"__pycache__"} == kept and "py.typed" in kept
