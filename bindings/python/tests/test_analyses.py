# SPDX-License-Identifier: BSD-3-Clause
"""Analyses of Python: the numbers are those of the program, bit for bit, and obey their laws."""

import json
import os
import pickle
import signal
import subprocess
import threading

import numpy
import pytest

import sunlagrange as sl

PROGRAM = os.environ.get("SUNLAGRANGE_PROGRAM", "")
GRAVITY = 9.81


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=2.0), bob)
    model.add("weight", sl.UniformGravity(m=2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"positions": {"bob.x": 0.3, "bob.y": -0.4}, "t_end": 1.0, "formulation": "baumgarte",
                          "rtol": 1e-8, "atol": 1e-8, **said})


def cart(**said):
    model = sl.Assembly()
    x = model.add_coordinates("x", "translation")
    model.add("mass", sl.SlidingMass(inertia=2.0), x)
    model.add("push", sl.AxialForce(law=sl.Input()), x)
    return model.build(**{"t_end": 3.0, **said})


def program(command, model, tmp_path, *arguments):
    file = tmp_path / "model.json"
    model.write(file)
    done = subprocess.run([PROGRAM, command, file, *arguments, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(not PROGRAM, reason="needs sunlagrange")
def test_bits_are_those_of_the_program(tmp_path):
    model = pendulum()
    there = program("equilibrium", model, tmp_path, "--starts", "5")["equilibria"]
    found = model.equilibria(starts=5)
    assert [e.state.q.tolist() for e in found] == [e["q"] for e in there]
    assert [e.stability for e in found] == [e["stability"] for e in there]
    modes = program("modes", model, tmp_path)["modes"]
    assert len(model.modes().modes) == len(modes)
    for mine, theirs in zip(model.modes().modes, modes):
        assert mine.frequency == theirs["frequency"] and mine.damping_ratio == theirs["damping_ratio"]
    points = program("sensitivities", model, tmp_path, "--parameter", "rod.L", "--points", "3", "--formulation",
                     "baumgarte", "--rtol", "1e-8")["points"]
    mine = model.sensitivities(parameters=["rod.L"], times=[0.0, 0.5, 1.0])
    assert mine.dq.shape == (3, 2, 1) and mine.parameters[0].name == "rod.L"
    for k, point in enumerate(points):
        for name, entry in (("dq", "dq"), ("dv", "dv"), ("da", "da"), ("dmultipliers", "dlambda")):
            assert mine[name][k, :, 0].tolist() == point[entry][0], (k, name)


def test_an_equilibrium_balances_and_its_mode_is_the_pendulums():
    rest = pendulum().equilibrium()
    assert rest.status == "finished" and rest.stability == "stable"
    assert numpy.allclose(rest.state.q, [0.0, -0.5], atol=1e-8)
    assert numpy.allclose(rest.reaction, [0.0, 2.0 * GRAVITY])
    assert abs(rest.modes[0].frequency - numpy.sqrt(GRAVITY / 0.5) / (2 * numpy.pi)) < 1e-9
    small = pendulum(positions={"bob.x": 0.0, "bob.y": -0.5}).linearise()
    assert small["at"] == "equilibrium" and abs(small.K[0, 0] / small.M[0, 0] - GRAVITY / 0.5) < 1e-8
    assert small.state_matrix.shape == (2, 2)
    assert "no equilibrium" in pendulum().linearise().text


def test_analyses_have_pages(tmp_path):
    model = pendulum()
    found = {"equilibrium": model.equilibrium(), "equilibria": model.equilibria(starts=3)[0], "modes": model.modes(),
             "kinematics": model.kinematics("bob.x", [0.3, 0.2, 0.1]),
             "sensitivities": model.sensitivities(["rod.L"], times=[0.0, 0.5, 1.0])}
    for name, analysis in found.items():
        file = tmp_path / f"{name}.html"
        analysis.write_html(file, title=f"{name} & more")
        page = file.read_text()
        assert page.startswith("<!doctype html>") and f"<title>{name} &amp; more" in page, name
        assert "iframe" in analysis._repr_html_()
        again = pickle.loads(pickle.dumps(analysis))  # the page stays behind, the numbers do not
        assert list(again) == list(analysis) and "page" not in again
        assert numpy.array_equal(again.get("t", 0), analysis.get("t", 0))
        with pytest.raises(sl.Error, match="before it is pickled"):
            again.html()
    nowhere = model.kinematics("bob.x", [9.0])
    assert nowhere.status == "infeasible" and nowhere._repr_html_().startswith("<pre>")


def test_inputs_and_outputs_have_names():
    small = cart().state_space(outputs=["x", "x''"])
    assert small.inputs == ["push"] and small.status == "finished" and small.about["at"] == "equilibrium"
    assert numpy.allclose(small.C[0] @ small.A @ small.B, 0.5) and numpy.allclose(small.D, [[0.0], [0.5]])
    with pytest.raises(sl.Error, match="push"):
        cart().state_space(inputs=["pusher"])


def test_kinematics_follow_the_circle_and_drives_make_the_motion():
    found = pendulum().kinematics("bob.x", [0.3, 0.2, 0.1, 0.0])
    branch = found.branches[0]
    assert found.status == "finished" and branch.dead_point is None
    assert numpy.allclose(branch.q[:, 1], -numpy.sqrt(0.25 - branch.s**2), atol=1e-9)
    assert numpy.allclose(branch.rate[:, 1], -branch.s / branch.q[:, 1], atol=1e-9)
    drive = pendulum().inverse_dynamics(0.0, [0.3, -0.4], [0.0, 0.0], [0.0, 0.0], ["bob.x"])
    assert abs(drive.drive[0] - 2.0 * GRAVITY * 0.3 / 0.4) < 1e-9 and drive.missing < 1e-12  # held at rest


def test_drives_of_a_table_are_those_of_a_pendulum():
    """m l^2 s'' + m g l sin(s), as a force along x: over l cos(s)."""
    model = pendulum()
    t = numpy.linspace(0.0, 1.0, 201)
    s = 0.3 + 0.2 * numpy.sin(4.0 * t)
    found = model.drive_forces(t, {"bob.x": 0.5 * numpy.sin(s)})
    torque = 2.0 * 0.25 * -3.2 * numpy.sin(4.0 * t) + 2.0 * GRAVITY * 0.5 * numpy.sin(s)
    assert found.status == "finished" and found.q.shape == (201, 2) and found.drive.shape == (201, 1)
    off = numpy.abs(found.drive[:, 0] * 0.5 * numpy.cos(s) - torque)
    assert off[1:-1].max() < 1e-3 and off.max() < 1e-2  # h^2 / 12 of the fourth derivative inside, eleven times at the ends
    assert 0.0 < found.table_error < 1e-2 and found.text == ""
    assert found.missing.max() < 1e-9
    assert "Drives along the whole motion" in found.html() and "drive of bob.x" in found.html()
    with pytest.raises(sl.Error, match="2 values at 201 times"):
        model.drive_forces(t, {"bob.x": [0.1, 0.2]})


def test_kinematics_tell_where_branches_cross():
    """A parallelogram folded flat: from there it may go on as an antiparallelogram."""
    model = sl.Assembly()
    left, right = model.add_coordinates("left", "planar_point"), model.add_coordinates("right", "planar_point")
    for name, point, x in ("left", left, 0.0), ("right", right, 1.0):
        model.add(name + " mass", sl.PointMass(m=1.0), point)
        model.add(name + " bar", sl.DistanceToGround(ground_x=x, L=0.5), point)
    model.add("rod", sl.Distance(L=1.0), left, right)
    bars = model.build(positions={"left.x": 0.3, "left.y": 0.4, "right.x": 1.3, "right.y": 0.4})
    found = bars.kinematics("left.y", [0.4, 0.1, -0.2, -0.4])
    assert found.status == "uncertain_branch" and "branches cross at left.y" in found.text
    [crossing] = found.branches[0].crossings
    assert abs(crossing["s"]) < 1e-8 and numpy.allclose(crossing["q"], [0.5, 0.0, 1.5, 0.0], atol=1e-7)
    assert numpy.allclose(found.branches[0].q[:, 2:], found.branches[0].q[:, :2] + [1.0, 0.0], atol=1e-10)


def interrupted(search):
    """What Ctrl-C leaves of a search."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="partial") as stopped:
        search()
    timer.join()
    assert isinstance(stopped.value, sl.Interrupted)
    return stopped.value.partial


def test_ctrl_c_ends_searches_and_nothing_found_is_lost():
    grid = numpy.linspace(0.3, -0.3, 10**6)
    followed = interrupted(lambda: pendulum().kinematics("bob.x", grid))
    [branch] = followed.branches
    count = len(branch.s)
    assert followed.status == "interrupted" and 0 < count < len(grid) and (branch.s == grid[:count]).all()
    assert abs(numpy.hypot(branch.q[:, 0], branch.q[:, 1]) - 0.5).max() < 1e-9 and "<html" in followed.html()
    places = interrupted(lambda: pendulum().workspace("bob", {"bob.x": (0.3, -0.3, 10**6)}))
    there = numpy.array(places.reach) != "unreached"
    assert places.status == "interrupted" and 0 < there.sum() < 10**6
    assert abs(numpy.hypot(*places.places[there].T) - 0.5).max() < 1e-9
    rests = interrupted(lambda: pendulum().equilibria(starts=10**6))
    assert rests and all(abs(abs(rest.state["q"][1]) - 0.5) < 1e-6 for rest in rests if rest.status == "finished")


def test_ctrl_c_keeps_what_long_motions_have():
    """Sensitivities at the times that were reached, parameters at the best guess so far."""
    long = pendulum(t_end=1e5, max_steps=10**9, rtol=1e-9, atol=1e-9)
    found = interrupted(lambda: long.sensitivities(["rod.L"], times=[0.0, 0.01, 1e5]))
    assert found.status == "interrupted" and (found.t[:2] == [0.0, 0.01]).all() and numpy.isfinite(found.dq[1]).all()
    way = interrupted(lambda: long.gradient("final bob.x", ["rod.L"]))
    assert way.status == "interrupted"
    fit = interrupted(lambda: long.identify([sl.Measurement("bob.x", [0.01, 1e5], [0.3, 0.3])], ["rod.L"]))
    assert fit.status == "interrupted"


def test_what_a_function_raises_ends_analyses_too():
    """As in a run: an exception is raised again, and Ctrl-C keeps what was found."""
    def ended_by(raised, analyse):
        def action(context):
            raise raised

        with pytest.raises(type(raised)) as stopped:
            analyse(sl.Event("raise", times=[0.5], action=action))
        return stopped.value

    def sensitivities(event):
        return pendulum().sensitivities(["rod.L"], times=[0.0, 0.2, 1.0], events=[event])

    assert str(ended_by(ValueError("mine"), sensitivities)) == "mine"
    stopped = ended_by(KeyboardInterrupt(), sensitivities)
    assert isinstance(stopped, sl.Interrupted) and stopped.partial.status == "interrupted"
    assert (stopped.partial.t[:2] == [0.0, 0.2]).all()
    with pytest.raises(KeyboardInterrupt):
        sl.Stepper(cart(), sl.Event("raise", lambda t, q, v: ended_now(t))).advance_to(1.0)


def ended_now(t):
    if t > 0.3:
        raise KeyboardInterrupt
    return 1.0


def test_sensitivities_jump_at_impacts():
    """A bounce with restitution e, since t1: y = e u (t - t1) - g (t - t1)^2 / 2, u = g t1, t1 = sqrt(2 / g)."""
    model = sl.Assembly()
    y = model.add_coordinates("y", "translation")
    model.add("mass", sl.SlidingMass(inertia=1.0), y)
    model.add("weight", sl.AxialForce(law=sl.ConstantEffort(value=-GRAVITY)), y)
    model.add("floor", sl.PrescribedCoordinate(law=sl.Uniform(start=0.0, rate=0.0)), y)
    ball = model.build(positions={"y": 1.0}, t_end=1.0, formulation="baumgarte", rtol=1e-10, atol=1e-10)

    def events(e):
        return [sl.Event.impact("floor", e)]

    found = ball.sensitivities(parameters=["weight.law.value"], events=events(0.5),
                               event_parameters={"floor.e": (0.5, events)}, times=[0.6])
    t1 = numpy.sqrt(2 / GRAVITY)
    assert [event.name for event in found.events] == ["floor"]
    assert found.events[0].dt == pytest.approx([0.5 * t1 / GRAVITY, 0.0], abs=1e-7)
    assert found.dq[0, 0, 1] == pytest.approx(GRAVITY * t1 * (0.6 - t1), abs=1e-7)
    assert found.dv[0, 0] == pytest.approx([0.6 - 0.75 * t1, GRAVITY * t1], abs=1e-7)
    elastic = ball.sensitivities(events=events(1.0), event_parameters={"floor.e": (1.0, events)}, times=[0.6])
    assert elastic.dv[0, 0, 0] == pytest.approx(GRAVITY * t1, abs=1e-6)  # where its range ends


def test_the_hand_of_two_bars_reaches_a_disc():
    model = sl.Assembly()
    for name in ("upper", "lower"):
        body = model.add_coordinates(name, "planar_body")
        model.add(f"{name} body", sl.PlanarRigidBody(m=1.0, I=0.1), body)
    model.add("shoulder", sl.RevoluteToGround(sx=-0.5), "upper")
    model.add("elbow", sl.Revolute(s1x=0.5, s2x=-0.5), "upper", "lower")
    arm = model.build(positions={"upper.x": 0.5, "lower.x": 1.0, "lower.y": 0.5, "lower.phi": 1.5})
    found = arm.workspace("lower", {"upper.phi": (-0.3, 0.3, 4), "lower.phi": (1.0, 2.0, 6)}, offset=(0.5, 0.0))
    assert found.status == "finished" and found.point == ["lower.x", "lower.y"] and set(found.reach) == {"reached"}
    ends = numpy.exp(1j * found.s[:, 0]) + numpy.exp(1j * found.s[:, 1])
    assert numpy.allclose(found.places, numpy.column_stack([ends.real, ends.imag]), atol=1e-9)
    apart = found.s[:, 1] - found.s[:, 0]  # singular values of two unit columns at this angle
    assert numpy.allclose(found.manipulability, numpy.sqrt(1 - abs(numpy.cos(apart))), atol=1e-9)
    assert set(found.boundary.kind) == {"end_of_range"}
    held = arm.workspace(["lower.x", "lower.y"], {"upper.phi": (-0.3, 0.3, 4), "lower.phi": (1.0, 2.0, 6)},
                         limits={"lower.phi": (0.0, 1.5)})
    assert numpy.array_equal(numpy.array(held.reach) == "reached", held.s[:, 1] <= 1.5)


def test_parameters_change_the_motion_as_their_sensitivities_say():
    model = pendulum()
    names = [p.name for p in model.parameters]
    assert "rod.L" in names and model.parameters[names.index("rod.L")].unit == "m"
    longer = model.with_parameters({"rod.L": 0.5 + 1e-4})
    assert longer.parameters[names.index("rod.L")].value == 0.5 + 1e-4
    d = model.sensitivities(parameters=["rod.L"], start_velocities=["bob.x"], times=[0.0, 1.0])
    assert d.dq.shape == (2, 2, 2) and d.dmultipliers.shape == (2, 1, 2)
    moved = longer.replace(positions=dict(zip(("bob.x", "bob.y"), d.q[0] + 1e-4 * d.dq[0, :, 0]))).simulate()
    assert numpy.allclose((moved.q[-1] - d.q[1]) / 1e-4, d.dq[1, :, 0], rtol=1e-3, atol=1e-3)
    with pytest.raises(sl.Error, match="did you mean"):
        model.sensitivities(parameters=["rod.LL"])


def test_gradients_are_those_of_forward_sensitivities():
    model = pendulum(rtol=1e-8)
    wanted = dict(parameters=["rod.L", "weight.m"], start_velocities=["bob.x"])
    forward = model.sensitivities(times=[1.0], **wanted)
    end = model.gradient("final bob.x", **wanted)
    assert end.status == "finished" and end.steps > 0 and end.backward_steps > 0
    assert "rod.L" in end.html() and "final bob.x" in end.html()
    assert [p.value for p in end.parameters][2] == 0.0 and end.parameters[0].value == 0.5
    assert [p.name for p in end.parameters] == [p.name for p in forward.parameters]
    assert abs(end.value - forward.q[0, 0]) < 1e-7
    assert numpy.allclose(end.gradient, forward.dq[0, 0, :], rtol=1e-5, atol=1e-5)
    pieces = model.gradient("final bob.x", checkpoint_interval=20, **wanted)
    assert numpy.allclose(pieces.gradient, end.gradient, rtol=1e-5, atol=1e-6)
    with pytest.raises(sl.Error, match="begin with final"):
        model.gradient("bob.x", **wanted)


def test_a_rod_is_identified_and_what_cannot_be_is_named():
    random = numpy.random.default_rng(3)
    real = pendulum(held_positions={"bob.x": 0.3}).with_parameters({"rod.L": 0.53})
    run = real.simulate(record=numpy.linspace(0.05, 1.0, 20))
    t, q = run.t[1:], run.q[1:]
    noisy = q + 1e-3 * random.standard_normal(q.shape)
    data = [sl.Measurement("bob.x", t, noisy[:, 0], 1e-3), sl.Measurement("bob.y", t, noisy[:, 1], 1e-3)]
    guess = pendulum(held_positions={"bob.x": 0.3})
    found = guess.identify(data, parameters=["rod.L"])
    assert found.status == "finished" and found.misfit == "" and "rod.L = 0.5" in str(found)
    assert found.untested == "" and "rod.L" in found.html()
    assert abs(found.estimates[0] - 0.53) < 5 * found.deviation[0] < 0.01
    assert found.covariance.shape == (1, 1) and [fit.output for fit in found.fits] == ["bob.x", "bob.y"]
    assert abs([p.value for p in found.mechanism.parameters if p.name == "rod.L"][0] - found.estimates[0]) == 0.0
    twice = guess.identify([data[0], data[0]._replace(t=t[:5], values=noisy[:5, 0])], parameters=["rod.L"])
    assert [fit.model.shape for fit in twice.fits] == [t.shape, (5,)]
    both = guess.identify(data, parameters=["mass.m", "weight.m"])
    assert both.status == "rank_loss" and both.confounded[0].parameters == ["mass.m", "weight.m"]
    body = sl.Assembly()
    body.gravity(0.0, -GRAVITY)
    body.body("bob", sl.PlanarParticle(m=20.0))  # falls, whatever its mass
    fall = body.build(held_positions=["bob.x", "bob.y"], t_end=1.0)
    t = numpy.linspace(0.1, 1.0, 10)
    idle = fall.identify(sl.Measurement("bob.y", t, -GRAVITY / 2 * t**2, 1e-3), ["bob.m"])
    assert idle.estimates[0] == 20.0 and "bob.m = 20 kg, not determined" in str(idle)


def test_the_start_of_functions_is_identified():
    ball = sl.FunctionModel(["x", "y"], lambda t, q: numpy.eye(2), lambda t, q, v: numpy.array([0.0, -GRAVITY]),
                            positions={"x": 0.5}, t_end=1.0, formulation="baumgarte", rtol=1e-8, atol=1e-8)
    t = numpy.linspace(0.1, 1.0, 10)
    data = [sl.Measurement("x", t, 0.7 + 3.0 * t, 1e-3), sl.Measurement("y", t, 4.0 * t - GRAVITY / 2 * t**2, 1e-3)]
    found = ball.identify(data, start_positions=["x"], start_velocities=["x", "y"])
    assert found.status == "finished" and numpy.allclose(found.estimates, [0.7, 3.0, 4.0], atol=1e-6)
    for model in found.mechanism, found.mechanism.with_parameters({}):  # the functions come along
        run = model.simulate()
        assert numpy.allclose(run.q[-1], [3.7, 4.0 - GRAVITY / 2], atol=1e-6)


def test_a_stepper_is_a_run_with_inputs_that_can_be_saved():
    stepper = sl.Stepper(cart())
    assert stepper.inputs == ["push"] and {"x", "x'", "x''", "push"} <= set(stepper.outputs)
    stepper.set("push", 4.0)
    assert stepper.advance_to(1.0) and abs(stepper.read("x'") - 2.0) < 1e-6
    kept = stepper.save()
    stepper.set("push", 0.0)
    assert stepper.advance_to(2.0) and abs(stepper.read("x") - 3.0) < 1e-5 and stepper.state().v[0] == stepper.read("x'")
    stepper.restore(kept)
    assert stepper.time == 1.0 and stepper.read("push") == 4.0
    elsewhere = sl.Stepper(cart(), checkpoint=kept)
    assert elsewhere.advance_to(3.0) and elsewhere.over and stepper.advance_to(3.0)
    assert elsewhere.read("x") == stepper.read("x") and abs(stepper.read("x") - 9.0) < 1e-4
    assembly = sl.Assembly()
    assembly.body("b", sl.PlanarBody(2.0, 0.1))
    late = sl.Stepper(assembly, t_end=3.0)
    assert late.advance_to(2.0)
    resumed = sl.Stepper(assembly, checkpoint=late.save())  # ends as the run of the checkpoint
    assert resumed.time == 2.0 and resumed.advance_to(3.0) and resumed.over
    seen = []
    assert not sl.Stepper(cart()).advance_to(3.0, lambda s: seen.append(s.time) or len(seen) < 2)
    assert len(seen) == 2
    run = stepper.finish()
    assert run.finished and run.t[-1] == 3.0
    with pytest.raises(sl.Error, match="push"):
        sl.Stepper(cart()).set("pull", 1.0)
    with pytest.raises(sl.Error, match="checkpoint"):
        sl.Stepper(cart(), checkpoint=kept[:100])
    with pytest.raises(ZeroDivisionError):
        sl.Stepper(cart()).advance_to(1.0, lambda s: 1 / 0)


@pytest.mark.parametrize("work", ["step", "advance_to", "restore", "finish", "save", "state", "set", "read", "time"])
def test_a_stepper_that_another_thread_uses_says_so(work):
    stepper = sl.Stepper(cart().replace(t_end=1e3))
    saved, started, go_on, answer = stepper.save(), threading.Event(), threading.Event(), []

    def observer(s):
        started.set()
        return s.time >= 0.0 and not go_on.wait(0.01)  # reads in its own thread

    thread = threading.Thread(target=lambda: answer.append(stepper.advance_to(1e3, observer)))
    thread.start()
    assert started.wait(10.0)
    arguments = {"advance_to": [1.0], "restore": [saved], "set": ["push", 1.0], "read": ["x"]}.get(work, [])
    try:
        with pytest.raises(sl.Error, match="another thread"):
            getattr(stepper, work)(*arguments) if work != "time" else stepper.time
    finally:
        go_on.set()
        thread.join()
    assert answer == [False]
    before = stepper.time
    assert stepper.step() and stepper.time > before  # free again


def test_an_observer_does_not_step():
    with pytest.raises(sl.Error, match="observer"):
        stepper = sl.Stepper(cart())
        stepper.advance_to(1.0, lambda s: s.step())
    times = []
    stepper = sl.Stepper(cart())
    assert stepper.advance_to(1.0, lambda s: times.append(s.time)) and times[-1] >= 1.0  # None goes on
    assert not sl.Stepper(cart(), max_step=0.1).advance_to(1.0, lambda s: s.time < 0.5)


def test_a_stepper_without_changes_is_simulate():
    stepper = sl.Stepper(pendulum())
    while stepper.step():
        pass
    assert numpy.array_equal(stepper.finish().q, pendulum().simulate().q)


def test_the_file_of_a_run_has_its_estimated_error(tmp_path):
    run = pendulum(estimate_error=True, rtol=1e-5, atol=1e-5).simulate(record=numpy.linspace(0.1, 1.0, 10))
    run.write_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    rows = numpy.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    columns = [names.index("error bob.x"), names.index("error bob.y")]
    largest = run.report["error_estimate"]["largest_q"]
    assert len(names) == rows.shape[1] == 11 and largest > 0.0
    assert rows[:, columns].max() == largest


# ---- every figure of the descriptions in C++ -------------------------------------------------------------------------

def has(found, name):
    """True if the figure is in the result; figures of entries of lists count where there is no entry."""
    head, _, rest = name.partition(".")
    if head.endswith("[]"):
        entries = found[head[:-2]]
        if isinstance(entries, dict):  # keyed lists, tables
            return rest in entries or all(not isinstance(e, dict) or rest in ("name", "constraint") or has(e, rest)
                                          for e in entries.values())
        return all(has(entry, rest) if rest else True for entry in entries)
    return head in found and (not rest or found[head] is None or has(found[head], rest))


def test_every_figure_reaches_python():
    model, results = pendulum(estimate_error=True), {}
    run = model.simulate()
    results["Simulation"] = run.report
    results["ConsistentState"] = model.consistent_state()
    results["RedundancyReport"] = model.redundancy()
    results["GainAdvice"] = model.advice()
    results["SystemQuantities"] = model.evaluate(0.0, run.q[0], run.v[0])
    results["Reactions"], results["PowerBalance"] = run.reactions(0.5), run.power_balance(0.5)
    results["EnergyBalance"] = run.energy_balance()
    results["Linearisation"], results["Modes"] = model.linearise(), model.replace(positions={"bob.x": 0.0}).modes()
    results["StateSpace"], results["Equilibrium"] = model.state_space(), model.equilibrium()
    results["Kinematics"] = model.kinematics("bob.x", [0.3, 0.2, 0.1])
    results["InverseDynamics"] = model.inverse_dynamics(0.0, [0.3, -0.4], [0.0, 0.0], [0.0, 0.0], ["bob.x"])
    times = [0.0, 0.1, 0.2, 0.3]
    results["DriveForces"] = model.drive_forces(times, {"bob.x": [0.3, 0.29, 0.28, 0.27]})
    results["MechanismWorkspace"] = model.workspace("bob", {"bob.x": (0.1, 0.3, 3)})
    results["Sensitivities"] = model.sensitivities(parameters=["rod.L"])
    results["Gradient"] = model.gradient("final bob.x", parameters=["rod.L"])
    measured = sl.Measurement("bob.x", run.t[1:], run["bob.x"][1:])
    results["Identification"] = model.identify(measured, parameters=["rod.L"])
    fixed = model.replace(integrator="rk4", step=1e-3, t_end=0.1)
    results["Certificate"] = fixed.certify()
    described = sl.figures()
    assert set(described) - set(results) == {"JointForce"}
    for result, found in results.items():
        for figure in described[result]:
            name = figure.name.replace("place", "places") if result == "MechanismWorkspace" else figure.name
            if result == "Simulation":  # as in the document
                name = name.replace("multipliers", "lambda")
            assert has(found, name), (result, name)
            assert figure.meaning, (result, name)
    assert "energy_drift" in [figure.name for figure in described["Simulation"]]
    assert "driven coordinate" in sl.Mechanism.kinematics.__doc__
