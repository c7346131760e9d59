# SPDX-License-Identifier: BSD-3-Clause
"""Events of Python: given times, actions, inputs; units of angles; messages in words of Python."""

import math
import re

import numpy
import pytest

import sunlagrange as sl


def driven(law=None, **said):
    model = sl.Assembly()
    wheel = model.add_coordinates("wheel", "rotation")
    model.add("inertia", sl.Flywheel(inertia=1.0), wheel)
    model.add("motor", sl.AppliedTorque(law=sl.Input(start=1.0)), wheel)
    return model.build(**{"t_end": 3.0, "rtol": 1e-8, "atol": 1e-8, **said})


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=1.0), bob)
    model.add("weight", sl.UniformGravity(m=1.0), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    return model.build(**{"positions": {"bob.x": 1.0}, "t_end": 2.0, "rtol": 1e-8, "atol": 1e-8, **said})


def test_an_action_sets_inputs_at_given_times():
    seen = []

    def change(context):
        seen.append((context.t, context.q[0], context.v[0], context.input("motor")))
        context.set_input("motor", -2.0 if context.input("motor") > 0.0 else 0.0)

    run = driven().simulate(events=[sl.Event("change", times=[1.0, 1.3], action=change)])
    assert run.finished
    assert [event.t for event in run.events] == pytest.approx([1.0, 1.3], abs=1e-12)
    assert run.position_at(3.0)[0] == pytest.approx(1.39, abs=1e-6)
    assert seen[0] == pytest.approx((1.0, 0.5, 1.0, 1.0), abs=1e-6)


def test_an_action_at_a_zero_reverses_and_releases():
    run = pendulum().simulate(events=[sl.Event("back", lambda t, q, v: q[0], crossing="falling",
                                               action=lambda context: context.set_velocity(-context.v))])
    first = 0.591960486894
    assert run.events[0].t == pytest.approx(first, abs=1e-6)
    assert run["bob.x"].min() > -1e-6
    free = pendulum().simulate(events=[sl.Event("cut", times=[first], action=lambda c: c.deactivate("rod"))])
    v = free.velocity_at(2.0)
    assert v[0] == pytest.approx(-math.sqrt(2.0 * 9.81), abs=1e-5)
    assert v[1] == pytest.approx(-9.81 * (2.0 - first), abs=1e-5)


def test_events_without_an_action_change_no_bit():
    for integrator in ("automatic", "radau", "dopri5"):
        mechanism = pendulum(integrator=integrator, formulation="baumgarte")
        plain = mechanism.simulate()
        watched = mechanism.simulate(events=[sl.Event("low", lambda t, q, v: q[0]), sl.Event("at", times=[0.7]),
                                             sl.Event("depth", lambda t, q, v: max(0.0, -q[0]))])
        assert numpy.array_equal(plain.q, watched.q)
        assert [event.name for event in watched.events] == ["low", "depth", "at", "low", "depth"] or \
            [event.name for event in watched.events] == ["depth", "low", "at", "depth", "low"]


def test_contexts_end_with_their_action_and_errors_pass_through():
    kept = []
    driven().simulate(events=[sl.Event("keep", times=[1.0], action=kept.append)])
    with pytest.raises(sl.Error, match="during the action only"):
        kept[0].t
    with pytest.raises(ZeroDivisionError):
        driven().simulate(events=[sl.Event("wrong", times=[1.0], action=lambda context: 1 / 0)])
    for words, event in (("function and times are missing", lambda: sl.Event("none")),
                         ("give one of them", lambda: sl.Event("both", lambda t, q, v: t, times=[1.0])),
                         ("at least one time", lambda: sl.Event("empty", times=[])),
                         ("must be a function of an EventContext", lambda: sl.Event("x", times=[1.0], action=3))):
        with pytest.raises(sl.Error, match=words):
            event()


def test_degrees_are_taken_wherever_an_angle_is():
    def turned(law, kind=sl.PrescribedCoordinate):
        model = sl.Assembly()
        arm = model.add_coordinates("arm", "planar_body")
        model.add("body", sl.PlanarRigidBody(m=1.0, I=1.0), arm)
        model.add("pin", sl.RevoluteToGround(), arm)
        model.add("motor", kind(law=law), arm.phi)
        return model.build(t_end=1.0, rtol=1e-8, atol=1e-8)

    def end(law, kind=sl.PrescribedCoordinate):
        return turned(law, kind).simulate().position_at(1.0)[2]

    right = math.radians(30.0)
    assert end(sl.Constant(value=(30, "deg"))) == pytest.approx(right, abs=1e-7)
    assert end(sl.Uniform(start=(0, "deg"), rate=(30, "deg/s"))) == pytest.approx(right, abs=1e-7)
    assert end(sl.Polynomial(c=[(10, "deg"), (5, "deg/s"), (15, "deg/s^2")])) == pytest.approx(right, abs=1e-7)
    assert end(sl.Harmonic(amplitude=(30, "deg"), omega=math.pi / 2.0)) == pytest.approx(right, abs=1e-7)
    assert end(sl.SmoothStep(from_=(0, "deg"), to=(30, "deg"))) == pytest.approx(right, abs=1e-7)
    assert end(sl.SplineTable(times=[0.0, 1.0], values=[(0, "deg"), (30, "deg")])) == pytest.approx(right, abs=1e-7)
    assert end(sl.Constant(value=(30, "deg/s")), sl.PrescribedRate) == pytest.approx(right, abs=1e-6)
    for law in (sl.Constant(value=(30, "deg/s")), sl.Uniform(rate=(30, "deg")), sl.Constant(value=(30, "mm"))):
        with pytest.raises(sl.Error, match="unit"):
            end(law)
    free = sl.Assembly()
    arm = free.add_coordinates("arm", "planar_body", natural_scale=[1.0, (10, "cm"), (10, "deg")])
    free.add("body", sl.PlanarRigidBody(m=1.0, I=1.0), arm)
    free.add("pin", sl.RevoluteToGround(sx=-0.5), arm)
    mechanism = free.build(positions={"arm.x": 0.5})
    grid = mechanism.kinematics("arm.phi", ([0, 45, 90], "deg"))
    assert grid.branches[0].s[-1] == pytest.approx(math.pi / 2.0)
    limited = mechanism.workspace("arm", {"arm.phi": ((0, "deg"), (90, "deg"), 3)},
                                  limits={"arm.phi": ((-1, "deg"), (50, "deg"))})
    assert limited is not None
    with pytest.raises(sl.Error, match="unit"):
        mechanism.kinematics("arm.phi", ([0, 45], "mm"))


CPP = re.compile(r"[A-Za-z_]::[A-Za-z_]|\.hpp\b|\b(?:make_system|make_program|unilateral_contact|check_derivatives|"
                 r"without_constraints|write_checkpoint|analyse_redundancy|static_equilibria|consistent_state_at|"
                 r"attach_cvode|attach_ida|set_user_pointer|named_functional|make_functional)\b|\boptions\.[a-z]")


def test_messages_name_what_is_typed_in_python():
    mechanism = pendulum()
    stepper = sl.Stepper(mechanism)
    no_inputs = sl.Event("x", times=[1.0], action=lambda context: context.set_input("y", 1.0))
    calls = [lambda: mechanism.simulate(record=[]), lambda: mechanism.simulate(record=0),
             lambda: mechanism.simulate(record=[5.0]), lambda: stepper.advance_to(-1.0), lambda: stepper.set("u", 1.0),
             lambda: stepper.restore("{}"), lambda: mechanism.replace(formulation="elimination").simulate(),
             lambda: mechanism.state_space(inputs=["u"]), lambda: mechanism.gradient("nothing"),
             lambda: mechanism.simulate(record="ends_only").energy_balance(),
             lambda: mechanism.kinematics("bob.x", [2.0]), lambda: mechanism.workspace("bob", {"bob.x": (0, 1, 2)}),
             lambda: mechanism.inverse_dynamics(0.0, [9.0, 9.0], [0, 0], [0, 0], ["bob.x"]),
             lambda: mechanism.simulate(events=[no_inputs]), lambda: mechanism.equilibrium(),
             lambda: mechanism.replace(max_steps=2).simulate(), lambda: mechanism.replace(gains={"K_D": -1e9}).simulate(),
             lambda: mechanism.replace(integrator="ida", formulation="baumgarte"), lambda: mechanism.certify(),
             lambda: mechanism.replace(formulation="baumgarte").advice(),
             lambda: mechanism.sensitivities(parameters=["rod.L"], events=[no_inputs])]
    found = []
    for call in calls:
        try:
            result = call()
            found += [str(result), str(getattr(result, "message", "")), str(getattr(result, "doubts", ""))]
        except sl.Error as error:
            found.append(str(error))
    assert len(found) > 20
    for message in found:
        assert not CPP.search(message), message
