# SPDX-License-Identifier: BSD-3-Clause
"""Functions of Python as laws of library elements."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy

from ._errors import Error, WrongType, function, listed

_step = 6e-6  # of central differences, relative: (machine epsilon)^(1/3)


def _takes_time_alone(call: Callable) -> bool:
    """True for f(t), false for f(t, position, velocity)."""
    if isinstance(call, numpy.ufunc):
        return call.nin == 1
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return True
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return False
    needed = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty for p in parameters)
    if needed not in (1, 3):
        raise WrongType(f"law {getattr(call, '__name__', call)!r}: takes {needed} arguments; a law is a function of t, or of "
                        "t, position and velocity")
    return needed == 1


class Function:
    """A function of Python as a law of a library element, with derivatives that are known.

    Function(f, rate=None, acceleration=None): a motion, a source, or an effort that depends on time alone, f(t); rate and
    acceleration are its derivatives by t.
    Function(f, jacobian=None): an effort or a force f(t, x, v); jacobian(t, x, v) gives df/dx and df/dv. x and v are numbers
    for elements on one coordinate (the difference of two for elements between them), the coordinates of the block for
    AppliedForce, and place and velocity of the point for SpatialAppliedForce.
    f returns a number, or a list of two or three numbers for paths and forces in the plane and in space. Derivatives that
    are not given are central differences, and those that are given are compared with them at the first point of the run.
    t is a float. A function alone, law=f, is Function(f). It must be smooth; where it jumps, use an event. A model with a function can be
    pickled if the function can, but cannot be written to a file.
    """

    def __init__(self, f: Callable[..., Any], rate: Callable[[float], Any] | None = None,
                 acceleration: Callable[[float], Any] | None = None, jacobian: Callable[..., Any] | None = None):
        if not callable(f):
            raise WrongType(f"Function: f={f!r}: must be a function of t, or of t, position and velocity")
        for what, given in (("rate", rate), ("acceleration", acceleration), ("jacobian", jacobian)):
            function(f"Function: {what}", given, "a function, or None")
        self.f, self.rate, self.acceleration, self.jacobian = f, rate, acceleration, jacobian
        self._of_time = _takes_time_alone(f)
        self._compared: set[str] = set()  # derivatives that have been compared with differences
        if self._of_time and jacobian is not None:
            raise Error("Function: jacobian belongs to f(t, x, v); of a function of t give rate and acceleration")
        if not self._of_time and (rate is not None or acceleration is not None):
            raise Error("Function: rate and acceleration belong to a function of t; of f(t, x, v) give jacobian")

    @property
    def __name__(self) -> str:
        return getattr(self.f, "__name__", "the function")

    def __repr__(self) -> str:
        given = [f"{name}={getattr(self, name).__name__}" for name in ("rate", "acceleration", "jacobian")
                 if getattr(self, name) is not None]
        return f"Function({', '.join([self.__name__, *given])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and (self.f, self.rate, self.acceleration, self.jacobian) == \
            (other.f, other.rate, other.acceleration, other.jacobian)

    __hash__ = None  # type: ignore[assignment]

    def parts(self) -> tuple[Any, Any, Any]:
        """Returns value, first and second derivative as functions of one array of arguments (t, x, v)."""
        first = self._first if self.jacobian is not None or self.rate is not None else None
        second = self._second if self.acceleration is not None else None
        return _Named(self, self._value), first and _Named(self, first), second and _Named(self, second)

    def _value(self, x: numpy.ndarray) -> Any:
        return self.f(float(x[0])) if self._of_time else self.f(float(x[0]), *_split(x))

    def _first(self, x: numpy.ndarray) -> Any:
        """Returns the derivative by all arguments, a row for each value."""
        if self.rate is not None:
            found = _with_zeros(_given(self.rate, self.rate(float(x[0]))), len(x))
            self._compare("rate", x[:1], lambda y: _with_zeros(self.rate(float(y[0])), 1), self._differences)
            return found
        found = self._by_jacobian(x)
        self._compare("jacobian", x, self._by_jacobian, self._differences)
        return found

    def _by_jacobian(self, x: numpy.ndarray) -> numpy.ndarray:
        given = listed(_given(self.jacobian, self.jacobian(float(x[0]), *_split(x))))
        if given is None or len(given) != 2:
            raise Error(f"{getattr(self.jacobian, '__name__', 'jacobian')}: must return two derivatives, by position and by velocity")
        n = (len(x) - 1) // 2
        blocks = [numpy.asarray(part, dtype=float).reshape(-1, n) for part in given]
        return numpy.column_stack([numpy.zeros(len(blocks[0])), *blocks])  # the derivative by time is not used

    def _differences(self, x: numpy.ndarray) -> numpy.ndarray:
        """Returns the derivative by the arguments from central differences; by time only if there is no other argument."""
        columns = [] if len(x) == 1 else [numpy.zeros(numpy.size(self._value(x)))]
        for i in range(len(columns), len(x)):
            h = numpy.zeros(len(x))
            h[i] = _step * (1.0 + abs(x[i]))
            difference = numpy.asarray(self._value(x + h), dtype=float) - numpy.asarray(self._value(x - h), dtype=float)
            columns.append(numpy.atleast_1d(difference) / (2.0 * h[i]))
        return numpy.column_stack(columns)

    def _second(self, x: numpy.ndarray) -> Any:
        def differences(y: numpy.ndarray) -> numpy.ndarray:
            t = float(y[0])
            h = 1e-4 * (1.0 + abs(t))
            before, here, after = (numpy.asarray(self.f(t + k * h), dtype=float) for k in (-1, 0, 1))
            return (before - 2.0 * here + after) / h**2

        found = self.acceleration(float(x[0]))
        self._compare("acceleration", x, lambda y: numpy.asarray(self.acceleration(float(y[0])), dtype=float), differences)
        return found

    def _compare(self, what: str, x: numpy.ndarray, given: Callable, differences: Callable) -> None:
        """Raises Error if a derivative differs from differences at the first point of a run and nearby."""
        if what in self._compared:
            return
        for point in (x, x + 1e-3 * (1.0 + abs(x))):
            mine, theirs = given(point), differences(point)
            if not numpy.abs(mine - theirs).max() > 1e-3 * (1.0 + numpy.abs(theirs).max()):
                break  # the run reports what is not a number
        else:
            raise Error(f"{what} of {self.__name__}: is {_text(mine)} at t = {point[0]:g}, by differences {_text(theirs)}; "
                        "correct it, or leave it out")
        self._compared.add(what)


def _given(call: Any, value: Any) -> Any:
    if value is None:
        raise Error(f"{getattr(call, '__name__', 'the function')} returned None; forgot return?")
    return value


def _text(values: Any) -> str:
    return numpy.array2string(numpy.squeeze(values), precision=6, threshold=20).replace("\n", "")


def _with_zeros(rate: Any, columns: int) -> numpy.ndarray:
    by_time = numpy.atleast_1d(numpy.asarray(rate, dtype=float))
    return numpy.column_stack([by_time, numpy.zeros((len(by_time), columns - 1))])


def _split(x: numpy.ndarray) -> tuple:
    """Returns position and velocity behind the time: numbers, or arrays."""
    n = (len(x) - 1) // 2
    return (x[1], x[2]) if n == 1 else (x[1:1 + n], x[1 + n:])


class _Named:
    """A function with the name of the user's, for messages."""

    def __init__(self, law: Function, call: Callable):
        self.__name__, self._call = law.__name__, call

    def __call__(self, x: numpy.ndarray) -> Any:
        return self._call(x)
