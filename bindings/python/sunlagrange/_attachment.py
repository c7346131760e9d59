# SPDX-License-Identifier: BSD-3-Clause
"""Integrators of SUNDIALS that another package of Python owns, by the addresses of memory, context and vectors."""

from __future__ import annotations

from typing import Any

from . import _core, _results
from ._errors import WrongType, flag, finite, whole, wrong
from ._model import Mechanism
from ._results import Answer, Record, answer


def _address(what: str, given: Any) -> int:
    """Returns the address as a number; of ctypes.c_void_p its value."""
    try:
        return whole(what, getattr(given, "value", given) or 0, most=2**64 - 1)
    except WrongType:
        raise wrong(what, given, "an address, a whole number or a ctypes.c_void_p") from None


def callbacks() -> dict[str, int]:
    """Returns the addresses of the functions for CVodeInit, IDAInit, ARKStepCreate and the like, by their names in C++:
    cvode_rhs, ida_residual, arkode_rhs, error_weights, cvode_jacobian_times, ..."""
    return _core.callbacks()


def layout(model: Mechanism) -> Record:
    """Returns the lengths of the vector of unknowns y = (q, v, lambda, mu) and of its parts: size, positions, velocities,
    multipliers, second_multipliers. own_variables: the formulation chooses the unknowns, and only size has a meaning;
    integrated_multipliers: y has integrals of the multipliers."""
    return Record(_core.layout(_mechanism(model)))


def initial_values(model: Mechanism, y: Address, yp: Address | None = None) -> None:
    """Fills the vector y, and y' if it is given, from the consistent state nearest to the start of the model."""
    _core.initial_values(_mechanism(model), _address("y", y), _address("yp", yp))


def _mechanism(model: Any) -> Any:
    if not isinstance(model, Mechanism):
        raise wrong("model", model, "a Mechanism, which Assembly.build() and read() return")
    return model._core


class Attachment:
    """A formulation on the memory of an integrator that another package of Python owns and advances.

    attach_cvode, attach_ida and attach_arkode return it. Keep it as long as the integrator runs. Options that an
    integrator reads (max_steps, events, ...) are settings of its owner; those of the formulation are the model's.
    """

    mechanism: Mechanism

    def __init__(self, mechanism: Mechanism, core: Any):
        self.mechanism, self._core = mechanism, core

    @property
    def settings(self) -> list[Record]:
        """Settings of the formulation and of the integrator that the library has changed: name, asked, used."""
        return [Record(line) for line in self._core.settings]

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of evaluations, factorisations and solutions so far."""
        return self._core.counts

    def motion(self, t: float, y: Address) -> results.State | None:
        """Returns the motion that the vector y describes at time t: q, v, a and multipliers. None: the model declined it."""
        found = self._core.motion(finite("t", t), _address("y", y))
        return answer(found, _results.classes["State"], self.mechanism._rows()) if found else None

    def change_variables(self, t: float, y: Address) -> bool:
        """Call it after each step with coordinate_partitioning. True: y now describes the same motion in other variables, and
        CVodeReInit or ARKStepReset has to follow."""
        return self._core.change_variables(finite("t", t), _address("y", y))

    def explain(self, flag: int, t: float) -> str:
        """Returns what a flag of CVode, IDASolve or ARKStepEvolve at t means: reason, constraint, and what to try."""
        return self._core.explain(whole("flag", flag, least=-2**31), finite("t", t))

    def raise_failure(self) -> None:
        """Raises what a function of the model has raised in a callback, or Error if a vector did not fit; else nothing.

        Call it in the thread of the integrator after one of its calls has returned a negative flag.
        """
        self._core.raise_failure()


def attach_cvode(memory: Address, context: Address, y: Address, model: Mechanism, own_linear_solver: bool = False) -> Attachment:
    """Installs an ODE formulation on CVODE or CVODES memory, initialised with the address callbacks()["cvode_rhs"].

    memory, context, y: addresses of the memory, of its SUNContext and of a vector (N_Vector) like the unknowns. They are
    numbers or ctypes.c_void_p, and made by the release of SUNDIALS that this package has: another one is refused where the
    vector shows it. own_linear_solver: the linear solver remains that of the owner. User data, and for `projected` the
    projection, are set; tolerances, limits and root functions remain those of the owner.
    """
    return Attachment(model, _core.attach_cvode(_mechanism(model), _address("memory", memory), _address("context", context),
                                                _address("y", y), flag("own_linear_solver", own_linear_solver)))


def attach_ida(memory: Address, context: Address, y: Address, model: Mechanism, own_linear_solver: bool = False,
               own_tolerances: bool = False) -> Attachment:
    """Installs a DAE formulation on IDA or IDAS memory, initialised with the address callbacks()["ida_residual"].

    Addresses and own_linear_solver are as for attach_cvode. own_tolerances: the tolerances of the owner stay; else error
    weights follow from the options rtol and atol of the model, which index2 and index3 need.
    """
    return Attachment(model, _core.attach_ida(_mechanism(model), _address("memory", memory), _address("context", context),
                                              _address("y", y), flag("own_linear_solver", own_linear_solver),
                                              flag("own_tolerances", own_tolerances)))


def attach_arkode(memory: Address, model: Mechanism) -> Attachment:
    """Installs an ODE formulation on ARKStep or ERKStep memory, created with the address callbacks()["arkode_rhs"] as its
    explicit part. Tables, steps and tolerances remain those of the owner."""
    return Attachment(model, _core.attach_arkode(_mechanism(model), _address("memory", memory)))
