# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python as laws of library elements: they move as the laws of the library do, and obey closed forms."""

import json
import math
import pickle

import numpy
import pytest

import sunlagrange as sl

GRAVITY = 9.81


def slider(law, **said):
    """1 kg on a line, pulled by a law."""
    model = sl.Assembly()
    x = model.add_coordinates("x", "translation")
    model.add("mass", sl.SlidingMass(1.0), x)
    model.add("pull", sl.AxialForce(law), x)
    return model.build(**{"positions": {"x": 1.0}, "t_end": 2.0, "rtol": 1e-9, "atol": 1e-9, **said})


def damped(t, x, v):
    return -9.0 * x - 0.6 * v


def damped_derivatives(t, x, v):
    return -9.0, -0.6


def swing(t):
    return 0.3 * math.sin(2.0 * t)


def swing_rate(t):
    return 0.6 * math.cos(2.0 * t)


def swing_acceleration(t):
    return -1.2 * math.sin(2.0 * t)


@pytest.mark.parametrize("law", [damped, sl.Function(damped, jacobian=damped_derivatives)], ids=["differences", "given"])
@pytest.mark.parametrize("integrator", ["cvode_bdf", "dopri5", "radau"])
def test_an_effort_of_the_state_moves_as_its_closed_form(law, integrator):
    run = slider(law, integrator=integrator).simulate()
    w = math.sqrt(9.0 - 0.09)
    exact = numpy.exp(-0.3 * run.t) * (numpy.cos(w * run.t) + 0.3 / w * numpy.sin(w * run.t))
    assert abs(run["x"] - exact).max() < 1e-6
    modes = slider(law, positions={"x": 0.0}).modes()
    assert modes.modes[0].eigenvalue.real == pytest.approx(-0.3, rel=1e-6)
    assert abs(modes.modes[0].eigenvalue.imag) == pytest.approx(w, rel=1e-6)


MOTIONS = {"differences": swing, "given": sl.Function(swing, rate=swing_rate, acceleration=swing_acceleration),
           "rate": sl.Function(swing, rate=swing_rate), "library": sl.Harmonic(amplitude=0.3, omega=2.0)}


def crank(law, **said):
    model = sl.Assembly()
    arm = model.add_coordinates("arm", "planar_body")
    model.add("body", sl.PlanarRigidBody(2.0, 0.1), arm)
    model.add("weight", sl.UniformGravity(2.0), arm.centre)
    model.add("pin", sl.RevoluteToGround(sx=-0.5), arm)
    model.add("motor", sl.PrescribedCoordinate(law), arm.phi)
    return model.build(**{"positions": {"arm": sl.at((0.5, 0.0))}, "t_end": 1.0, "rtol": 1e-8, "atol": 1e-8, **said})


@pytest.mark.parametrize("law", MOTIONS.values(), ids=MOTIONS)
@pytest.mark.parametrize("formulation", ["baumgarte", "ggl", "projected", "index1"])
def test_a_motion_of_time_is_prescribed_with_its_torque(law, formulation):
    run = crank(law, formulation=formulation).simulate()
    assert abs(run["arm.phi"] - 0.3 * numpy.sin(2.0 * run.t)).max() < 1e-6
    phi, torque = run["arm.phi"], run.joint_forces("motor")["arm"].torque[:, 2]
    exact = (0.1 + 2.0 * 0.25) * -1.2 * numpy.sin(2.0 * run.t) + 2.0 * GRAVITY * 0.5 * numpy.cos(phi)
    assert abs(torque - exact).max() < 1e-4


def test_forces_and_paths_in_the_plane_and_in_space():
    model = sl.Assembly()
    p, s = model.add_coordinates("p", "planar_point"), model.add_coordinates("s", "spatial_point")
    arm = model.add_coordinates("arm", "planar_body")
    model.add("p mass", sl.PointMass(2.0), p)
    model.add("s mass", sl.SpatialPointMass(2.0), s)
    model.add("body", sl.PlanarRigidBody(1.0, 1.0), arm)
    model.add("p drag", sl.AppliedForce(lambda t, q, v: -2.0 * v), p)
    model.add("s spring", sl.SpatialAppliedForce(sl.PointEnd(), law=lambda t, q, v: [-8.0 * q[0], 4.0, 2.0 * v[1]]), s)
    model.add("follower", sl.AppliedForce(lambda t, q, v: [-math.sin(q[2]), math.cos(q[2])], sl.OnBody(1.0)), arm)
    model.add("p way", sl.PrescribedPoint(sl.PlanarComponents(x=lambda t: t**2, y=sl.Constant(1.0))),
              model.add_coordinates("driven", "planar_point"))
    model.add("driven mass", sl.PointMass(1.0), "driven")
    model.add("circle", sl.PrescribedPoint(lambda t: [math.cos(t), math.sin(t)]), model.add_coordinates("round", "planar_point"))
    model.add("round mass", sl.PointMass(1.0), "round")
    run = sl.simulate(model, t_end=1.0, rtol=1e-9, atol=1e-9, velocities={"p.x": 1.0}, formulation="baumgarte",
                      positions={"s.x": 1.0, "driven.y": 1.0, "round.x": 1.0})
    assert run["p.x'"][-1] == pytest.approx(math.exp(-1.0), abs=1e-7)
    assert run["s.x"][-1] == pytest.approx(math.cos(2.0), abs=1e-7) and run["s.y"][-1] == pytest.approx(1.0, abs=1e-7)
    assert run["s.z'"][-1] == pytest.approx(2.0 / 1.0 * (0.5 * 1.0), abs=1e-6)  # z'' = v_y = 2 t
    assert run["arm.phi"][-1] == pytest.approx(0.5, abs=1e-7)  # moment 1 about the centre
    assert run["driven.x"][-1] == pytest.approx(1.0, abs=1e-6) and run["driven.x''"][-1] == pytest.approx(2.0, abs=1e-4)
    assert numpy.allclose(run.q[-1, -2:], [math.cos(1.0), math.sin(1.0)], atol=1e-6)


def test_parts_of_laws_and_units_stand_beside_functions():
    model = sl.Assembly()
    q = model.add_coordinates("q", "electrical")
    model.add("coil", sl.Inductor(0.5), q)
    model.add("source", sl.VoltageSource(numpy.sin), q)
    run = sl.simulate(model, t_end=1.0, rtol=1e-9, atol=1e-9)
    assert run["q'"][-1] == pytest.approx(2.0 * (1.0 - math.cos(1.0)), abs=1e-7)


def test_analyses_take_functions():
    def pull(t, x, v):
        return -9.0 * x

    model = slider(pull)
    assert model.equilibrium().state.q[0] == pytest.approx(0.0, abs=1e-8)
    assert model.with_parameters({"mass.inertia": 4.0}).modes().modes[0].frequency == pytest.approx(1.5 / (2 * math.pi), rel=1e-6)
    d = model.replace(formulation="baumgarte").sensitivities(["mass.inertia"], times=[0.0, 1.0])
    assert d.dq[1, 0, 0] == pytest.approx(1.5 * math.sin(3.0), abs=1e-5)  # d cos(3 t / sqrt(m)) / dm at m = 1
    stepper = sl.Stepper(model)
    assert stepper.advance_to(1.0) and stepper.read("x") == pytest.approx(math.cos(3.0), abs=1e-6)
    result = sl.study(model, {"mass.inertia": [1.0, 4.0]}, t_end=1.0)
    assert result["x"] == pytest.approx([math.cos(3.0), math.cos(1.5)], abs=1e-6)


def test_models_with_functions_are_pickled_but_not_written(tmp_path):
    model = crank(MOTIONS["given"])
    again = pickle.loads(pickle.dumps(model))
    assert (again.simulate().q == model.simulate().q).all()
    assert json.loads(model.text)["elements"][3]["parameters"]["law"] == {"type": "Function", "name": "motor.law"}
    with pytest.raises(sl.Error, match="the laws motor.law are functions of Python, which a file cannot hold"):
        model.write(tmp_path / "crank.json")
    (tmp_path / "crank.json").write_text(model.text)
    with pytest.raises(sl.Error, match='crank.json:.*motor.*"motor.law" is a function of the application'):
        sl.read(tmp_path / "crank.json")
    with pytest.raises(AttributeError):
        pickle.dumps(slider(lambda t: 0.0))  # as everywhere in Python


def test_functions_are_compared_and_their_arguments_counted():
    assert sl.Function(swing) == sl.Function(swing) != sl.Function(swing, rate=swing_rate)
    assert repr(sl.Function(swing, rate=swing_rate)) == "Function(swing, rate=swing_rate)"
    assert sl.AxialForce(swing) == sl.AxialForce(swing)
    for wrong, words in ((lambda: slider(lambda: 0.0), "takes 0 arguments; a law is a function of t"),
                         (lambda: slider(lambda t, x: 0.0), "takes 2 arguments"),
                         (lambda: sl.Function(3.0), "f=3.0: must be a function"),
                         (lambda: sl.Function(swing, rate=3.0), "rate=3.0: must be a function"),
                         (lambda: sl.Function(swing, jacobian=damped_derivatives), "jacobian belongs to f"),
                         (lambda: sl.Function(damped, rate=swing_rate), "rate and acceleration belong to a function of t")):
        with pytest.raises(sl.Error, match=words):
            wrong()
    assert slider(lambda t, factor=2.0: factor).simulate()["x"][-1] == pytest.approx(5.0, abs=1e-6)


def test_mistakes_of_functions_are_named():
    def nothing(t):
        pass

    for law, words in ((nothing, "pull.law: nothing returned None; forgot return"),
                       (lambda t: "much", "pull.law: returned str, wanted 1 numbers"),
                       (lambda t: [1.0, 2.0], r"pull.law: returns an array of shape \(2,\), must have 1 entries"),
                       (lambda t: 1j, "pull.law: returned complex, wanted 1 numbers, none of them complex")):
        with pytest.raises(sl.Error, match=words):
            slider(law).simulate()
    with pytest.raises(ZeroDivisionError):
        slider(lambda t: 1.0 / 0.0).simulate()
    with pytest.raises(ZeroDivisionError):
        slider(lambda t: 1.0 / 0.0 if t > 0.5 else 1.0).simulate()
    assert slider(lambda t: math.sqrt(t)).simulate().finished  # it is not called where the run does not go


def test_derivatives_that_are_wrong_are_refused():
    for law in (sl.Function(swing, rate=lambda t: -0.6 * math.cos(2.0 * t)),
                sl.Function(swing, rate=swing_rate, acceleration=lambda t: 1.0 - 1.2 * math.sin(2.0 * t))):
        with pytest.raises(sl.Error, match="(rate|acceleration) of swing: is .* by differences .*correct it, or leave it out"):
            crank(law).simulate()
    with pytest.raises(sl.Error, match="jacobian of damped: is .*9.* by differences .*-9"):
        slider(sl.Function(damped, jacobian=lambda t, x, v: (9.0, -0.6)), integrator="radau").simulate()
    for jacobian, words in ((lambda t, x, v: None, "<lambda> returned None; forgot return"),
                            (lambda t, x, v: -9.0, "<lambda>: must return two derivatives, by position and by velocity")):
        with pytest.raises(sl.Error, match=words):
            slider(sl.Function(damped, jacobian=jacobian), integrator="radau").simulate()


@pytest.mark.parametrize("pulse", [lambda t: 5.0 if 4.1 < t < 5.1 else 0.0, lambda t: 5 if 4.1 < t < 5.1 else 0,
                                   lambda t: 5.0 * (4.1 < t < 5.1), lambda t: numpy.float64(5.0) * (4.1 < t < 5.1)])
def test_a_pulse_on_a_body_at_rest_is_seen_whatever_the_function_does_with_numbers(pulse):
    """x(T) = F w (T - middle of the pulse): the steps before it, with nothing that changes, do not jump over it."""
    right = 5.0 * 1.0 * (10.0 - 4.6)
    assert slider(pulse, positions={"x": 0.0}, t_end=10.0).simulate()["x"][-1] == pytest.approx(right, abs=1e-4)
    law = slider(lambda t, x, v: pulse(t), positions={"x": 0.0}, t_end=10.0)
    assert law.simulate()["x"][-1] == pytest.approx(right, abs=1e-4)
    free = sl.FunctionModel(["x"], lambda t, q: numpy.eye(1), lambda t, q, v: [pulse(t)], t_end=10.0, rtol=1e-9, atol=1e-9)
    assert free.simulate()["x"][-1] == pytest.approx(right, abs=1e-4)


def test_functions_get_the_time_as_a_float():
    kinds = set()

    def swing_of(factor, phase):
        def call(t):
            kinds.add(type(t))
            return factor * math.sin(2.0 * t + phase)

        return call

    crank(sl.Function(swing_of(0.3, 0.0), rate=swing_of(0.6, math.pi / 2), acceleration=swing_of(1.2, math.pi))).simulate()
    slider(lambda t, x, v: kinds.add(type(t)) or -x).simulate()
    sl.FunctionModel(["x"], lambda t, q: numpy.eye(1), lambda t, q, v: kinds.add(type(t)) or [0.0]).simulate(t_end=0.1)
    assert kinds == {float}
