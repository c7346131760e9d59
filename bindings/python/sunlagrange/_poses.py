# SPDX-License-Identifier: BSD-3-Clause
"""Places and rotations of bodies and of the frames of joints, instead of Euler parameters by hand."""

from __future__ import annotations

from typing import Any, Iterable

import numpy

from ._errors import Error, finite, has_unit, in_unit, listed, reals, reals_in_unit, wrong

_wanted = "an angle [rad] about z, (angle, \"deg\"), (axis, angle), a 3 x 3 matrix, or a Rotation of scipy"
_axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _angle(what: str, given: Any) -> float:
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str) and given[1] in ("deg", "rad"):
        return finite(what, given[0]) * (numpy.pi / 180.0 if given[1] == "deg" else 1.0)
    return finite(what, given)


def _vector(what: str, given: Any, unit: str | None = None) -> numpy.ndarray:
    """Returns two or three numbers as a vector in space; with a unit they may have units."""
    numbers = reals(what, given, "a place: two or three numbers") if unit is None else reals_in_unit(what, given, unit)
    if len(numbers) not in (2, 3):
        raise Error(f"{what}={numbers}: has {len(numbers)} entries; give x, y and, in space, z")
    return numpy.array([*numbers, *[0.0] * (3 - len(numbers))])


def place(given: Any) -> numpy.ndarray:
    """Returns a place as a vector in space."""
    return _vector("position", given)


def _about(axis: Any, angle: float) -> numpy.ndarray:
    """Returns the matrix of a rotation by the formula of Rodrigues."""
    n = numpy.array(_axes[axis]) if isinstance(axis, str) and axis in _axes else _vector("rotation, axis", axis)
    length = numpy.linalg.norm(n)
    if not length > 0.0:
        raise Error(f"rotation, axis={list(n)}: has no direction; give a vector that is not zero")
    n = n / length
    cross = numpy.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]])
    return numpy.eye(3) + numpy.sin(angle) * cross + (1.0 - numpy.cos(angle)) * cross @ cross


def matrix(rotation: Any) -> numpy.ndarray:
    """Returns the matrix of a rotation that is given in one of the forms of at()."""
    given = listed(rotation.as_matrix() if hasattr(rotation, "as_matrix") else rotation)
    if given is None:
        return _about("z", _angle("rotation", rotation))
    if len(given) == 3:
        A = numpy.array([reals(f"rotation[{i}]", row) for i, row in enumerate(given)])
        if A.shape != (3, 3) or abs(A @ A.T - numpy.eye(3)).max() > 1e-6 or numpy.linalg.det(A) < 0.0:
            raise Error("rotation: the matrix is no rotation; its columns must be the axes of the body in ground axes, of "
                        "length 1, right-handed and normal to each other, to 1e-6")
        return A
    if len(given) != 2:
        raise wrong("rotation", rotation, _wanted)
    if isinstance(given[1], str) and given[1] in ("deg", "rad"):
        return _about("z", _angle("rotation", tuple(given)))
    return _about(given[0], _angle("rotation, angle", given[1]))


def euler_parameters(A: numpy.ndarray) -> numpy.ndarray:
    """Returns the Euler parameters of a rotation matrix, with e0 >= 0."""
    squares = numpy.array([1.0 + A[0, 0] + A[1, 1] + A[2, 2], 1.0 + A[0, 0] - A[1, 1] - A[2, 2],
                           1.0 - A[0, 0] + A[1, 1] - A[2, 2], 1.0 - A[0, 0] - A[1, 1] + A[2, 2]])
    k = int(numpy.argmax(squares))  # the largest one is not lost to rounding
    s, d = A + A.T, A - A.T
    products = numpy.array([[squares[0], d[2, 1], d[0, 2], d[1, 0]], [d[2, 1], squares[1], s[0, 1], s[0, 2]],
                            [d[0, 2], s[0, 1], squares[2], s[1, 2]], [d[1, 0], s[0, 2], s[1, 2], squares[3]]])
    e = products[k] / (2.0 * numpy.sqrt(squares[k]))
    e /= numpy.linalg.norm(e)
    return -e if e[0] < 0.0 else e


class Pose:
    """A place and a rotation, made by at(): of a body at the start, or of the frame of a joint.

    position: of the centre of mass, ground axes [m], (3,); rotation: matrix whose columns are the axes of the body in
    ground axes, (3, 3).
    """

    position: numpy.ndarray
    rotation: numpy.ndarray

    def __init__(self, position: Any, rotation: Any):
        self.position = _vector("position", position)
        self.rotation = matrix(rotation)

    def __repr__(self) -> str:
        return f"at({self.position.tolist()}, {self.rotation.tolist()})"

    def to_ground(self, point: Iterable[float]) -> numpy.ndarray:
        """Returns the place in the ground of a point of the body, which is given in body axes [m]."""
        return self.position + self.rotation @ _vector("point", point)

    def to_body(self, point: Iterable[float]) -> numpy.ndarray:
        """Returns the place in body axes of a point of the ground [m]."""
        return self.rotation.T @ (_vector("point", point) - self.position)

    def coordinates(self, kind: str, name: str) -> dict[str, float]:
        """Returns the coordinates of a block of this kind, {"x": 0.5, ...}."""
        x, y, z = map(float, self.position)
        if kind in ("spatial_body", "spatial_point"):
            turned = {f"e{i}": float(e) for i, e in enumerate(euler_parameters(self.rotation))} if kind == "spatial_body" else {}
            return {"x": x, "y": y, "z": z, **turned}
        _in_the_plane(kind, name, z, "the place")
        if abs(self.rotation[2, 2] - 1.0) > 1e-9:
            raise Error(f"{name}: is a {kind}, which turns about z only; give the angle as the rotation")
        phi = float(numpy.arctan2(self.rotation[1, 0], self.rotation[0, 0]))
        return {"x": x, "y": y, **({"phi": phi} if kind == "planar_body" else {})}


class Motion:
    """A velocity and an angular velocity of a body at the start, made by moving(); ground axes [m/s], [rad/s]."""

    velocity: numpy.ndarray
    angular_velocity: numpy.ndarray

    def __init__(self, velocity: Any, angular_velocity: Any):
        self.velocity = _vector("velocity", velocity, "m/s")
        spin = angular_velocity
        if listed(spin[0] if has_unit(spin) else spin) is None:
            spin = (0.0, 0.0, finite("angular_velocity", in_unit("angular_velocity", spin, "rad/s")))
        self.angular_velocity = _vector("angular_velocity", spin, "rad/s")

    def __repr__(self) -> str:
        return f"moving({self.velocity.tolist()}, {self.angular_velocity.tolist()})"

    def rates(self, kind: str, name: str, e: Iterable[float]) -> dict[str, float]:
        """Returns the rates of the coordinates of a block of this kind, whose Euler parameters are e."""
        x, y, z = map(float, self.velocity)
        if kind in ("spatial_body", "spatial_point"):
            turning = {}
            if kind == "spatial_body":  # e' = E(e)^T omega / 2
                e0, *u = e
                w = self.angular_velocity
                rates = [-0.5 * float(numpy.dot(u, w)), *(0.5 * (e0 * w - numpy.cross(u, w)))]
                turning = {f"e{i}": float(rate) for i, rate in enumerate(rates)}
            return {"x": x, "y": y, "z": z, **turning}
        _in_the_plane(kind, name, z, "the velocity")
        if self.angular_velocity[:2].any():
            raise Error(f"{name}: is a {kind}, which turns about z only; give the rate of the angle as the angular velocity")
        return {"x": x, "y": y, **({"phi": float(self.angular_velocity[2])} if kind == "planar_body" else {})}


def _in_the_plane(kind: str, name: str, z: float, what: str) -> None:
    if kind not in ("planar_body", "planar_point"):
        raise Error(f"{name}: is a block of kind {kind}, which has no place; poses are for planar and spatial bodies and points")
    if z != 0.0:
        raise Error(f"{name}: is a {kind}, but {what} has z={z:g}; give x and y")


def at(position: Iterable[float], rotation: Any = 0.0) -> Pose:
    """Returns a pose, for start values and for the frames of joints.

    position: x, y and, in space, z [m]. rotation: an angle [rad] about z, (30, "deg"), ((0, 1, 0), angle) or
    ("y", angle) about an axis, a matrix whose columns are the axes of the body in ground axes, or a Rotation of scipy.

        mechanism = model.build(positions={"arm": sl.at((0.5, 0, 0), ("y", (30, "deg")))})
        model.add("hinge", sl.SpatialRevolute(sl.BodyEnd.at((-0.5, 0, 0), ("x", (90, "deg"))), ...), ...)
    """
    return Pose(position, rotation)


def moving(velocity: Iterable[float], angular_velocity: Any = 0.0) -> Motion:
    """Returns a motion, for start velocities: the velocity [m/s] of the centre of mass, and the angular velocity [rad/s],
    a vector in ground axes, or a number about z. Both may have units: moving((1, 0), (90, "deg/s")).
    """
    return Motion(velocity, angular_velocity)


# ---- start values -----------------------------------------------------------------------------------------------------


def expanded(positions: dict[str, Any], velocities: dict[str, Any], kinds: dict[str, str], given: dict[str, Any]) -> tuple[dict, dict]:
    """Returns start values with coordinates in place of poses and motions. kinds: those of the blocks; given: positions
    that are known already."""
    places: dict[str, Any] = {}
    for name, value in positions.items():
        if isinstance(value, Pose):
            places.update({f"{name}.{part}": x for part, x in value.coordinates(_kind(name, kinds), name).items()})
        else:
            places[name] = value
    known, rates = {**given, **places}, {}
    for name, value in velocities.items():
        if isinstance(value, Motion):
            e = [known.get(f"{name}.e{i}", 1.0 if i == 0 else 0.0) for i in range(4)]
            rates.update({f"{name}.{part}": x for part, x in value.rates(_kind(name, kinds), name, e).items()})
        else:
            rates[name] = value
    return places, rates


def _kind(name: str, kinds: dict[str, str]) -> str:
    if name not in kinds:
        from ._errors import unknown

        raise unknown("block", name, kinds)
    return kinds[name]
