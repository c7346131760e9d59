# SPDX-License-Identifier: BSD-3-Clause
"""Poses: starts and frames of joints by places and rotations."""

import math

import numpy
import pytest

import sunlagrange as sl


def rotations():
    random = numpy.random.default_rng(5)
    for axis in (*random.normal(size=(20, 3)), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        for angle in (0.0, 1e-9, 0.3, -2.0, math.pi - 1e-9, math.pi):
            yield axis, angle


def turned(e, s):
    """A(e) s of the Euler parameters of the library."""
    u = e[1:]
    return (e[0]**2 - u @ u) * s + 2 * u * (u @ s) + 2 * e[0] * numpy.cross(u, s)


def test_rotations_are_euler_parameters_of_the_same_turn():
    for axis, angle in rotations():
        pose = sl.at((1.0, 2.0, 3.0), (axis, angle))
        n = numpy.array(axis) / numpy.linalg.norm(axis)
        found = pose.coordinates("spatial_body", "b")
        e = numpy.array([found[f"e{i}"] for i in range(4)])
        assert e[0] >= 0.0 and abs(e @ e - 1.0) < 1e-14
        assert abs(pose.rotation @ pose.rotation.T - numpy.eye(3)).max() < 1e-14 and numpy.allclose(pose.rotation @ n, n)
        half = numpy.array([math.cos(angle / 2), *(n * math.sin(angle / 2))])
        assert min(abs(e - half).max(), abs(e + half).max()) < 1e-8
        for s in numpy.eye(3):
            assert numpy.allclose(turned(e, s), pose.rotation @ s, atol=1e-13)
        assert numpy.allclose(pose.to_body(pose.to_ground((0.1, 0.2, 0.3))), (0.1, 0.2, 0.3))


def test_all_forms_of_a_rotation_are_one():
    class Rotation:  # what scipy has
        def as_matrix(self):
            return sl.at((0, 0), 0.5).rotation

    forms = [0.5, (math.degrees(0.5), "deg"), ("z", 0.5), ((0, 0, 2), (math.degrees(0.5), "deg")), Rotation(),
             Rotation().as_matrix(), Rotation().as_matrix().tolist(), numpy.float32(0.5)]
    for form in forms:
        assert numpy.allclose(sl.at((0, 0), form).rotation, sl.at((0, 0), 0.5).rotation, atol=1e-7)
    for wrong, words in (("up", "rotation=.*must be"), ((1, 2, 3), r"rotation\[0\]"), (-numpy.eye(3), "is no rotation"),
                         (2 * numpy.eye(3), "is no rotation"), (((0, 0, 0), 1.0), "has no direction"), ((30, "grad"), "rotation"),
                         (float("nan"), "finite"), (None, "rotation"), ([1.0], "rotation")):
        with pytest.raises(sl.Error, match=words):
            sl.at((0, 0), wrong)
    with pytest.raises(sl.Error, match="position=.*has 1 entries"):
        sl.at([1.0])


def arm(**said):
    """A body on a hinge through the ground, both frames given at one place."""
    model = sl.Assembly()
    pose = sl.at((0.5, 0.0, 0.0), ((1, 2, 3), 0.4))
    body = model.add_coordinates("arm", "spatial_body")
    model.add("body", sl.SpatialRigidBody(2.0), body)
    hinge = {"position": (0.1, 0.2, 0.3), "rotation": ("x", (-90, "deg"))}  # z of the frame along y
    model.add("hinge", sl.SpatialRevolute(sl.GroundEnd.at(**hinge), sl.BodyEnd.at(**hinge, body=pose)), body)
    return model.build(**{"positions": {"arm": pose}, "velocities": {}, "t_end": 0.5, **said}), pose


def test_joints_fit_where_both_frames_are_given_at_one_place():
    model, pose = arm()
    state = model.consistent_state()
    assert state.feasible and state.moved_positions < 1e-12 and abs(state.position_violation_before) < 1e-12
    e = pose.coordinates("spatial_body", "arm")
    assert numpy.allclose(state.q, list(e.values()), atol=1e-12)
    assert sl.BodyEnd.at((1, 2, 3)) == sl.BodyEnd(point=[1.0, 2.0, 3.0], axis=[0.0, 0.0, 1.0], x=[1.0, 0.0, 0.0])
    assert numpy.allclose(sl.GroundEnd.at((0, 0, 0), ("x", (-90, "deg"))).axis, (0, 1, 0))


def test_motions_are_rates_of_euler_parameters():
    spin, centre = numpy.array([0.0, 2.0, 0.0]), numpy.array([0.5, 0.0, 0.0]) - numpy.array([0.1, 0.2, 0.3])
    model, pose = arm(velocities={"arm": sl.moving(numpy.cross(spin, centre), spin)})
    state = model.consistent_state()
    assert state.velocity_violation_before < 1e-12 and state.moved_velocities < 1e-12
    e, rate = state.q[3:], state.v[3:]
    for s in numpy.eye(3):  # d(A(e) s)/dt = omega x A(e) s
        h = 1e-6
        difference = (turned(e + h * rate, s) - turned(e - h * rate, s)) / (2 * h)
        assert numpy.allclose(difference, numpy.cross(spin, pose.rotation @ s), atol=1e-9)
    slid = model.replace(velocities={"arm": sl.moving((0, 0, 0), 0.0)})
    assert not slid.consistent_state().v.any()


def test_planar_bodies_and_points_take_poses():
    model = sl.Assembly()
    bar, p = model.add_coordinates("bar", "planar_body"), model.add_coordinates("p", "planar_point")
    model.add("body", sl.PlanarRigidBody(), bar)
    model.add("mass", sl.PointMass(), p)
    phi = model.add_coordinates("phi", "rotation")
    model.add("wheel", sl.Flywheel(1.0), phi)
    made = model.build(positions={"bar": sl.at((1, 2), (30, "deg")), "phi": (60, "deg")},
                       velocities={bar: sl.moving((5, 6), 7.0)}, held_positions={p: sl.at((3, 5))})
    state = made.consistent_state()
    assert numpy.allclose(state.q, [1, 2, math.pi / 6, 3, 5, math.pi / 3]) and numpy.allclose(state.v, [5, 6, 7, 0, 0, 0])
    for wrong, words in (({"positions": {"bar": sl.at((1, 2, 3))}}, "bar: is a planar_body, but the place has z=3"),
                         ({"positions": {"bar": sl.at((1, 2), ("x", 1.0))}}, "turns about z only"),
                         ({"velocities": {"bar": sl.moving((1, 2), (1, 0, 0))}}, "turns about z only"),
                         ({"positions": {"phi": sl.at((1, 2))}}, "phi: is a block of kind rotation, which has no place"),
                         ({"positions": {"bra": sl.at((1, 2))}}, "no block 'bra' .did you mean bar")):
        with pytest.raises(sl.Error, match=words):
            made.replace(**wrong)
