# SPDX-License-Identifier: BSD-3-Clause
"""Bodies: inertia and weight from one mass, in Python as in a model file."""

import json

import numpy
import pytest

import sunlagrange as sl


def chain():
    model = sl.Assembly()
    crank = model.body("crank", sl.PlanarBody(m=2.0, I=0.1))
    rod = model.body("rod", sl.PlanarSolid(shape=sl.Rod(length=1.0, radius=(10, "mm"))), density=(7.85, "g/cm^3"))
    bob = model.body("bob", sl.PlanarParticle(m=(300, "g")), natural_scale=2.0)
    model.gravity(0.0, (-981, "cm/s^2"))
    model.add("A", sl.RevoluteToGround(sx=-0.5), crank)
    model.add("B", sl.Revolute(s1x=0.5, s2x=-0.5), crank, rod)
    model.add("C", sl.Coincidence(a=sl.OnBody(sx=0.5)), rod, bob)
    return model


START = {"crank.x": 0.5, "rod.x": 1.5, "bob.x": 2.0}


def test_bodies_of_python_are_those_of_a_file():
    file = {
        "gravity": [0.0, -9.81],
        "bodies": [{"name": "crank", "type": "PlanarBody", "parameters": {"m": 2.0, "I": 0.1}},
                   {"name": "rod", "type": "PlanarSolid", "density": 7850.0,
                    "parameters": {"shape": {"type": "Rod", "length": 1.0, "radius": 0.01}}},
                   {"name": "bob", "type": "PlanarParticle", "parameters": {"m": 0.3}, "natural_scale": 2.0}],
        "elements": [{"name": "A", "type": "RevoluteToGround", "blocks": ["crank"], "parameters": {"sx": -0.5}},
                     {"name": "B", "type": "Revolute", "blocks": ["crank", "rod"], "parameters": {"s1x": 0.5, "s2x": -0.5}},
                     {"name": "C", "type": "Coincidence", "blocks": ["rod", "bob"], "parameters": {"a": {"type": "OnBody", "sx": 0.5}}}],
    }
    read = sl.Mechanism(json.dumps(file)).replace(positions=START)
    one, other = (mechanism.simulate(t_end=0.5, formulation="ggl") for mechanism in (chain().build(positions=START), read))
    assert (one.t == other.t).all() and (one.q == other.q).all() and (one.v == other.v).all()


def test_a_pose_and_a_motion_place_a_body():
    model = sl.Assembly()
    model.body("box", sl.SpatialSolid(m=2.0, shape=sl.Box(length=0.4, width=0.3, height=0.2)))
    run = model.build(positions={"box": sl.at((1.0, 0.0, 0.0), ("z", 0.3))},
                      velocities={"box": sl.moving((1.0, 0.0, 0.0), (0.0, 0.0, 2.0))}).simulate(t_end=0.5)
    assert run["box.x"][-1] == pytest.approx(1.5)  # no gravity was set


def test_identification_sees_one_mass():
    """A weight on a spring: the rest position depends on the weight, the period on the inertia; both are m."""
    model = sl.Assembly()
    model.gravity(0.0, -9.81)
    bob = model.body("bob", sl.PlanarParticle(m=2.0))
    model.add("spring", sl.LinearSpring(k=100.0, l0=0.5, a="AtPoint", b=sl.OnGround(x=0.0, y=0.0)), bob)
    guess = model.build(held_positions={"bob.x": 0.0, "bob.y": -0.6}, t_end=2.0, rtol=1e-8)
    real = guess.with_parameters({"bob.m": 2.5}).simulate(record=numpy.linspace(0.1, 2.0, 20))
    found = guess.identify([sl.Measurement("bob.y", real.t[1:], real["bob.y"][1:], 1e-4)], parameters=["bob.m"])
    assert found.estimates[0] == pytest.approx(2.5, abs=1e-4)
    m, k = 2.5, 100.0
    exact = -0.5 - m * 9.81 / k + (-0.6 + 0.5 + m * 9.81 / k) * numpy.cos(numpy.sqrt(k / m) * real.t)
    assert numpy.abs(real["bob.y"] - exact).max() < 1e-5


def test_a_body_is_a_block_and_an_element():
    model = chain()
    assert list(model.blocks) == list(model)[:3] == ["crank", "rod", "bob"]
    assert model.elements["crank"] == sl.PlanarBody(m=2.0, I=0.1) and "crank" in model
    assert str(model["crank"].centre) == "crank.centre" and str(model["crank"].phi) == "crank.phi"
    assert "crank  " in str(model) and "PlanarBody(m=2.0, I=0.1) on crank" in str(model)
    with pytest.raises(sl.Error, match="elements act on it \\(C\\)"):
        model.remove("bob")
    model.remove("C")
    model.remove("bob")
    assert "bob" not in model and "bob.x" not in model.build().position_names
    model.body("bob", sl.PlanarParticle(m=1.0))


@pytest.mark.parametrize("wrong, words", [
    (lambda m: m.body("rod", sl.PlanarBody(m=-2.0)), ["rod", "m = -2", "not negative"]),
    (lambda m: m.body("rod", sl.PlanarRigidBody()), ["rod", "PlanarRigidBody", "PlanarBody"]),
    (lambda m: m.body("crank", sl.PlanarBody()), ["crank", "taken"]),
    (lambda m: m.add("crank", sl.UniformGravity(), "crank.centre"), ["crank", "taken"]),
    (lambda m: m.body("rod", 2.0), ["rod", "PlanarBody(m=2.0, I=0.1)"]),
    (lambda m: m.body("rod", sl.PlanarBody(), density=7850), ["no shape", "PlanarSolid"]),
    (lambda m: m.body("rod", sl.PlanarSolid(m=1.0, shape=sl.Box()), density=7850), ["m is given as well"]),
    (lambda m: m.body("rod", sl.PlanarSolid(shape=sl.Box(length=-1.0)), density=1.0), ["shape.length = -1", "positive"]),
    (lambda m: m.body("rod", sl.SpatialBody(Jzz=2.5)), ["Jzz = 2.5", "Jxx + Jyy"]),
    (lambda m: m.gravity(0.0, -9.81), ["set before"]),
])
def test_what_does_not_fit_is_refused_and_nothing_is_added(wrong, words):
    model = sl.Assembly()
    model.gravity(0.0, -9.81)
    model.body("crank", sl.PlanarBody())
    with pytest.raises(sl.Error) as refused:
        wrong(model)
    assert all(word in str(refused.value) for word in words), refused.value
    assert model.build().position_names == ["crank.x", "crank.y", "crank.phi"]


def test_gravity_that_does_not_fit_is_refused():
    with pytest.raises(sl.Error, match="m/s\\^2"):
        sl.Assembly().gravity(0.0, (-9.81, "m"))
    with pytest.raises(sl.Error, match="finite"):
        sl.Assembly().gravity(0.0, float("nan"))
    model = sl.Assembly()
    model.gravity(0.0, 0.0, -9.81)
    with pytest.raises(sl.Error, match="x-y plane"):
        model.body("crank", sl.PlanarBody())
    with pytest.raises(sl.Error, match="gravity acts on bodies"):
        model.add_coordinates("x", "translation")
        model.build()
