# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms, their runs and their analyses."""

from __future__ import annotations

import html
import json
import math
import os
import re
import sys
import warnings
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple

import numpy

from . import _core, _results, _tables
from ._description import Part, document, kinds_of_blocks
from ._errors import (Error, UnknownAttribute, WrongType, did_you_mean, entries, events as _events, finite, flag, function, in_unit, listed,
                      mapping, names, path, real, reals, reals_in_unit, record as _record, text as _text,
                      times as _times, unknown, whole, wrong)
from ._functions import Function
from ._options import changes as _options, start as _start_values, with_changes
from ._poses import Motion, Pose, expanded
from ._results import Analysis, Answer, Record, _Page, answer


_function = function  # for those with an argument of that name
version: str = _core.version


def figures() -> dict[str, list[Record]]:
    """Returns the figures of every type of results, from the descriptions in C++: name, kind, unit and meaning.

    A dot in a name leads into a part, [] stands for the entries of a list or of an array.
    """
    return {result: [Record({**figure, "name": _results.name_in_python(figure["name"])}) for figure in listed_figures
                     if figure["name"].split(".")[-1] != "points"]
            for result, listed_figures in _core.figures().items()}


def _returns(result: str, several: bool = False) -> Callable:
    """Decorator of methods that return this type of results: their docstrings list its fields."""
    made = _results.by_result[result]
    lines = [f"{name}: {field.meaning}" + (f" [{field.unit}]" if field.unit not in ("", "1") else "")
             for name, field in made._fields.items()]

    def describe(method: Callable) -> Callable:
        method.__doc__ = "\n        ".join([f"{method.__doc__.rstrip()}\n", "Fields of the result:", "", *lines])
        name = f"results.{made.__name__}"
        method.__annotations__["return"] = f"list[{name}]" if several else name
        return method

    return describe


class DoubtWarning(UserWarning):
    """A run or an analysis has a result, but figures of its own speak against it; the text names them, and what to try."""


class RunFailed(Error, RuntimeError):
    """A run has not reached its end. run: what there is up to there, a Simulation; outcome: why it ended."""

    run: Simulation
    outcome: str

    def __init__(self, run: Simulation):
        super().__init__(f"{run.outcome} at t = {run.report['t_reached']:g}: {run.message}; what there is up to there is kept "
                         "(run), and check=False returns it")
        self.run, self.outcome = run, run.outcome

    def __reduce__(self) -> tuple:
        return RunFailed, (self.run,)


def _warn(text: str) -> None:
    """Warns where the package was called."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "sunlagrange":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DoubtWarning, stacklevel=level)


def _warn_of(found: Answer) -> None:
    """Warns of the doubts of a result, or if it has not been finished."""
    if found.get("status", "finished") not in ("finished", "interrupted"):
        _warn(f"{type(found).__name__}: {found['status']}: {found['message']}")
    for doubt in found.get("doubts") or ():
        _warn(f"{type(found).__name__}: {doubt['text']}")


def _checked_run(run: Simulation, check: bool) -> Simulation:
    """Returns the run. check: raises RunFailed if it has not reached its end, and warns of its doubts."""
    if check:
        if run.outcome == "uncertain_branch":  # at its end, but other motions were possible
            _warn(run.message)
        elif not run.finished and run.outcome != "interrupted":
            raise RunFailed(run)
        for doubt in run.doubts:
            _warn(doubt["text"])
    return run


def _whole(found: Any, interrupted: bool) -> Any:
    if interrupted:
        raise Interrupted(found, "the analysis was interrupted")
    return found


_entries = {"bodies": "body", "blocks": "block", "elements": "element"}


def _require_finite(given: Any, where: str = "") -> None:
    """Raises Error naming element or list, field and value for numbers that JSON does not have."""
    if isinstance(given, float) and not math.isfinite(given):
        raise Error(f"{where} = {given}: must be a finite number")
    for field, entry in given.items() if isinstance(given, dict) else enumerate(given) if isinstance(given, list) else ():
        if where in _entries:
            inside = f"{_entries[where]} \"{entry.get('name', field)}\""
        elif field == "parameters":
            inside = where
        elif isinstance(field, int):
            inside = f"{where}[{field}]"
        else:
            inside = f"{where}, field \"{field}\"" if where else field
        _require_finite(entry, inside)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended a run, an analysis or a study; `partial` is the result so far.

    partial: a Simulation (also called `run`), an Analysis or Answer with the status "interrupted", a list of equilibria,
    a Study of the cases that are done.
    """

    partial: Any
    run: Simulation

    def __init__(self, partial: Any, what: str = ""):
        if isinstance(partial, Simulation):
            self.run = partial
            what = f"the run was interrupted at t = {partial.report['t_reached']:g}"
        super().__init__(f"{what}; what there is up to there is kept (partial)")
        self.partial = partial


class JointForce(NamedTuple):
    """Force and torque of one joint on one body along a run, in ground axes; a row for each time."""

    force: numpy.ndarray
    """Force on the body [N], (times, 3)."""
    point: numpy.ndarray
    """Reference point of the body [m], (times, 3)."""
    torque: numpy.ndarray
    """Torque about that point [N m], (times, 3)."""
    unique: numpy.ndarray
    """True if the motion determines both, (times,). False: redundant joints share the load, and only the sum of their
    forces is determined; these have the least forces that fit."""


class Measurement(NamedTuple):
    """Measured values of one output along a motion, for Mechanism.identify()."""

    output: str
    """A coordinate "arm.phi", its rate "arm.phi'", its acceleration "arm.phi''", a multiplier "lambda:pin.x"."""
    t: Iterable[float]
    """Times [s], increasing."""
    values: Iterable[float]
    """Values at these times, in the unit of the output; those of a coordinate may have units, ([10, 20], "deg")."""
    deviation: float = 1.0
    """Standard deviation of each value."""


class EventContext:
    """What the action of an event reads and changes. It is valid during the action only.

    A constraint is named by its row, or by its element for all rows. Velocities are projected onto the constraints
    after the action.
    """

    def __init__(self, core):
        self._core = core

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._core.t

    @property
    def q(self) -> numpy.ndarray:
        """Positions."""
        return self._core.q

    @property
    def v(self) -> numpy.ndarray:
        """Velocities."""
        return self._core.v

    def input(self, name: str) -> float:
        """Returns the value of an input, an element whose law is sunlagrange.Input."""
        return self._core.input(_text("name", name))

    def active(self, constraint: str) -> bool:
        """Returns True if all rows of the constraint are switched on."""
        return self._core.active(_text("constraint", constraint))

    def gap(self, constraint: str) -> float:
        """Returns g of a constraint of one row."""
        return self._core.gap(_text("constraint", constraint))

    def rate(self, constraint: str) -> float:
        """Returns the rate of a constraint of one row."""
        return self._core.rate(_text("constraint", constraint))

    def multiplier(self, constraint: str) -> float:
        """Returns the multiplier of a constraint of one row; 0 if it is switched off."""
        return self._core.multiplier(_text("constraint", constraint))

    def multiplier_norm(self, constraint: str) -> float:
        """Returns the norm of the multipliers of all rows, e.g. the force in a pin joint [N]."""
        return self._core.multiplier_norm(_text("constraint", constraint))

    def impact(self, constraint: str, restitution: float) -> bool:
        """Lets a closing gap of one row rebound. Returns True if the rebound comes to rest: activate it then."""
        return self._core.impact(_text("constraint", constraint), finite("restitution", restitution))

    def activate(self, constraint: str) -> None:
        """Switches a constraint on; it holds here already."""
        self._core.activate(_text("constraint", constraint))

    def deactivate(self, constraint: str) -> None:
        """Switches a constraint off."""
        self._core.deactivate(_text("constraint", constraint))

    def set_velocity(self, v: Iterable[float]) -> None:
        """Sets all velocities."""
        self._core.set_velocity(reals("v", v))

    def set_input(self, name: str, value: float) -> None:
        """Sets an input from now on. Forces and prescribed rates may jump by it, positions not."""
        self._core.set_input(_text("name", name), finite(f"input {name}", value))

    def restart(self) -> None:
        """Makes the integrator start anew, as it does behind every action of such an event."""
        self._core.restart()

    def stop(self, reason: str) -> None:
        """Ends the run here."""
        self._core.stop(_text("reason", reason))


class Event(_core.Event):
    """A change of the sign of function(t, q, v) along the run, or given times [s]. stop: it ends the run.

    The function is continuous; crossing: "any", "rising", "falling". action: a function of an EventContext that may
    change velocities, constraints and inputs; the integrator starts anew behind it. Without action and stop the event
    is recorded and changes nothing. Of mechanisms: Event.impact, Event.contact, Event.stop_at_contact,
    Event.release_when.
    """

    def __init__(self, name: str, function: Callable[[float, numpy.ndarray, numpy.ndarray], float] | None = None,
                 crossing: str = "any", stop: bool = False, action: Callable[[EventContext], object] | None = None,
                 times: Iterable[float] | None = None):
        if not isinstance(name, str):
            raise WrongType(f"Event: name={name!r}: must be a text")
        if function is None and times is None:
            raise Error(f"Event {name!r}: function and times are missing; give one of them")
        if function is not None and times is not None:
            raise Error(f"Event {name!r}: function and times: give one of them; two events can have both")
        _function(f"Event {name!r}: function", function, "a function of t, q, v", ("t", "q", "v"))
        _function(f"Event {name!r}: action", action, "a function of an EventContext", ("an EventContext",))
        given = [] if times is None else _times(f"Event {name!r}: times", times)
        if times is not None and not given:
            raise Error(f"Event {name!r}: times={times!r}: must have at least one time")
        act = None if action is None else lambda core: action(EventContext(core))
        super().__init__(name, function, str(crossing), bool(stop), act, given)

    @staticmethod
    def impact(constraint: str, restitution: float) -> Event:
        """An impact with this restitution whenever the gap of a constraint of one row closes."""
        return _core.Event.impact(_text("constraint", constraint), finite("restitution", restitution))

    @staticmethod
    def contact(constraint: str, restitution: float = 0.0) -> Event:
        """Contact without friction: impacts, then contact until the constraint force would become negative."""
        return _core.Event.contact(_text("constraint", constraint), finite("restitution", restitution))

    @staticmethod
    def stop_at_contact(constraint: str) -> Event:
        """The end of the run when the gap closes."""
        return _core.Event.stop_at_contact(_text("constraint", constraint))

    @staticmethod
    def release_when(constraint: str, limit: float) -> Event:
        """A joint that breaks permanently when the norm of its multipliers exceeds the limit [N for pins]."""
        return _core.Event.release_when(_text("constraint", constraint), finite("limit", limit))


class Block(str):
    """A block of coordinates, or a part of one: arm.centre, arm.phi, q[0]; the name that model files use.

    A dot leads to parts only. Use str(arm) for the methods of strings.
    """

    _parts: list[str] | None = None  # None: not known here, found out where the name is used
    _size = 0

    def _part(self, name: str) -> Block:
        part = Block(name)
        if self._parts is not None:
            part._parts = []
        return part

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattribute__(name)
        if self._parts is not None and name not in self._parts:
            raise unknown(f"part of block {str(self)!r}", name, self._parts, UnknownAttribute)
        return self._part(f"{self}.{name}")

    def __getitem__(self, i: int) -> Block:
        if self._parts is not None and i not in range(self._size):
            raise unknown(f"coordinate of block {str(self)!r}", i, range(self._size))
        return self._part(f"{self}[{i}]")

    def __dir__(self) -> Iterable[str]:
        return self._parts or []


class Assembly:
    """Builder of a mechanism: bodies, named blocks of coordinates, and elements that act on them.

    blocks and elements list what there is; assembly["arm"] is the block of that name. print(assembly) shows all.
    """

    def __init__(self) -> None:
        self._blocks: dict[str, dict] = {}
        self._made: dict[str, Block] = {}
        self._elements: dict[str, tuple[Part, dict, dict[str, Function]]] = {}
        self._bodies: dict[str, dict] = {}  # each is a block and an element as well
        self._gravity: list | None = None

    @property
    def blocks(self) -> dict[str, Block]:
        """Blocks by name, in the order of their addition."""
        return dict(self._made)

    @property
    def elements(self) -> dict[str, Part]:
        """Elements by name, in the order of their addition."""
        return {name: element for name, (element, _, _) in self._elements.items()}

    def __getitem__(self, name: str) -> Block:
        if name not in self._made:
            raise unknown("block", name, self._made)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._made or name in self._elements

    def __iter__(self) -> Iterator[str]:
        return iter([*self._made, *(name for name in self._elements if name not in self._bodies)])

    def __repr__(self) -> str:
        return f"<Assembly: {len(self._blocks)} blocks, {len(self._elements)} elements>"

    def __str__(self) -> str:
        kinds = [(name, str(block.get("kind", f"{block.get('size')} coordinates"))) for name, block in self._blocks.items()]
        elements = [(name, f"{element!r} on {', '.join(given['blocks'])}") for name, (element, given, _) in self._elements.items()]
        width = max((len(name) for name, _ in [*kinds, *elements]), default=0)
        return "\n".join([repr(self)[1:-1], *(f"  {name:{width}}  {text}" for name, text in [*kinds, *elements])])

    def add_coordinates(self, name: str, kind: str | int, natural_scale: float | list[float] | None = None) -> Block:
        """Adds a block of a kind ("planar_body", "rotation", ...), or of a number of generic coordinates.

        natural_scale: typical size of its coordinates, for the absolute tolerance.
        Raises Error if something does not fit; then nothing is added.
        """
        field = "kind" if isinstance(kind, str) else "size"
        block: dict = {"name": _text("add_coordinates: name", name), field: document(kind, f"block {name!r}: {field}")}
        if natural_scale is not None:
            block["natural_scale"] = document(natural_scale, f"block {name!r}: natural_scale")
        return self._enter(block, kind, self._checked(block, [], blocks=[block]).position_names)

    def body(self, name: str, element: Part, density: float | tuple[float, str] | None = None,
             natural_scale: float | list[float] | None = None) -> Block:
        """Adds a body: a block of coordinates, and an element with its inertia and weight, both called `name`.

        element: PlanarBody, PlanarSolid, PlanarParticle, SpatialBody, SpatialSolid or SpatialParticle. density: of a solid, in
        place of its mass [kg/m^3]. natural_scale: typical size of its coordinates, for the absolute tolerance.
        Its parameters are "crank.m" and so on. Bodies stand before other blocks in q, v and position_names.
        Raises Error if something does not fit; then nothing is added.
        """
        if not isinstance(element, Part):
            raise WrongType(f"{name}: {element!r} is no body, e.g. sunlagrange.PlanarBody(m=2.0, I=0.1)")
        kind = type(element).__name__
        try:
            body = {"name": _text("name", name), "type": kind, "parameters": element.document()}
        except WrongType as error:
            raise WrongType(f"body {name!r}: {error}") from None
        for field, value in ("density", density), ("natural_scale", natural_scale):
            if value is not None:
                body[field] = document(value, f"body {name!r}: {field}")
        coordinates = self._checked(body, [], bodies=[body]).position_names
        self._bodies[name] = body
        self._elements[name] = (element, {**body, "blocks": [name]}, {})
        block_kind = kinds_of_blocks[kind][0]
        return self._enter({"name": name, "kind": block_kind}, block_kind, coordinates)

    def gravity(self, gx: float | tuple[float, str], gy: float | tuple[float, str], gz: float | tuple[float, str] = 0.0) -> None:
        """Sets the acceleration of gravity of all bodies, those that are added later included [m/s^2]; in the plane gz is 0.

        Elements that add() has added stay without weight; theirs is an element of its own, e.g. UniformGravity.
        Raises Error if it was set before or is no acceleration, and build() if there is no body.
        """
        if self._gravity is not None:
            raise Error("gravity was set before; set it once, for all bodies")
        given = [document(value, f"gravity: {name}") for name, value in (("gx", gx), ("gy", gy), ("gz", gz))]
        Mechanism({"gravity": given, "bodies": [{"name": "particle", "type": "SpatialParticle"}], "elements": []}, "Assembly")
        self._gravity = given

    def _enter(self, block: dict, kind: str | int, coordinates: list[str]) -> Block:
        """Returns the block that has been checked, with the names of its parts."""
        name = block["name"]
        self._blocks[name] = block
        made = Block(name)
        made._size = len(coordinates)
        made._parts = [given[len(name) + 1:] for given in coordinates if given.startswith(name + ".")]
        if kind in ("planar_body", "spatial_body"):
            made._parts.append("centre")
        self._made[name] = made
        return made

    def add(self, name: str, element: Part, *blocks: str) -> None:
        """Adds an element that acts on blocks, or on one list of blocks. Its laws may be functions of Python, see Function.

        Raises Error naming element and field if something does not fit; then nothing is added.
        """
        if not isinstance(element, Part):
            raise WrongType(f"{name}: {element!r} is no element, e.g. sunlagrange.PointMass(m=1.0)")
        if len(blocks) == 1 and isinstance(blocks[0], (list, tuple)):
            blocks = tuple(blocks[0])
        functions: dict[str, Function] = {}
        try:
            given = {"name": _text("name", name), "type": type(element).__name__,
                    "blocks": [str(_text("block", b)) for b in blocks], "parameters": element.document(functions, name)}
        except WrongType as error:
            raise WrongType(f"element {name!r}: {error}") from None
        if name in self._blocks:
            raise Error(f'the name "{name}" is taken; every block and element needs a name of its own')
        used = {self._block_of(b) for b in given["blocks"]}
        self._checked(given, [entry for block, entry in self._blocks.items() if None in used or block in used],
                      functions, elements=[given])
        self._elements[name] = (element, given, functions)

    def remove(self, name: str) -> None:
        """Removes an element, or a body or block that no other element acts on."""
        if name in self._elements and name not in self._bodies:
            del self._elements[name]
            return
        if name not in self._blocks:
            raise unknown("block or element", name, self)
        users = [element for element, (_, given, _) in self._elements.items()
                 if element not in self._bodies and name in map(self._block_of, given["blocks"])]
        if users:
            raise Error(f"block {name!r}: elements act on it ({', '.join(users)}); remove them first")
        del self._blocks[name], self._made[name]
        if name in self._bodies:
            del self._bodies[name], self._elements[name]

    def _block_of(self, name: str) -> str | None:
        """Returns the block of "arm.phi" or "q[0]"."""
        while name and name not in self._blocks:
            name = name[:max(name.rfind("."), name.rfind("["), 0)]
        return name or None

    def _checked(self, new: dict, needed: Iterable[dict], functions: Mapping[str, Function] = {},
                 **parts: list[dict]) -> Mechanism:
        """Returns a mechanism of the new part and the blocks it needs; of all parts if its name is in use, which is refused."""
        functions, made = dict(functions), {"bodies": [], "blocks": [*needed], "elements": []}
        if new["name"] in self._blocks or new["name"] in self._elements:
            made = self._documents()
            functions.update(self._functions())
        elif self._gravity is not None and "bodies" in parts:
            made["gravity"] = self._gravity
        return Mechanism({**made, **{entries: [*made[entries], *added] for entries, added in parts.items()}}, "Assembly", functions)

    def _documents(self) -> dict:
        made: dict = {} if self._gravity is None else {"gravity": self._gravity}
        return {**made, "bodies": list(self._bodies.values()),
                "blocks": [block for name, block in self._blocks.items() if name not in self._bodies],
                "elements": [given for name, (_, given, _) in self._elements.items() if name not in self._bodies]}

    def _functions(self) -> dict[str, Function]:
        return {name: law for _, _, functions in self._elements.values() for name, law in functions.items()}

    @with_changes
    def build(self, **changes: Any) -> Mechanism:
        """Returns the mechanism. Raises Error naming element and field."""
        return Mechanism(_changed(self._documents(), **changes), "Assembly", self._functions())


class Mechanism:
    """A model with its start and the options of its runs, as in a model file. It does not change and can be pickled."""

    def __init__(self, text: str | dict[str, Any], source: str = "mechanism", functions: Mapping[str, Function] = {}):
        if not isinstance(text, str):
            _require_finite(text)
        self._text = text if isinstance(text, str) else json.dumps(text)
        self._laws = dict(functions)
        try:
            self._core = _core.parse(self._text, source, {name: law.parts() for name, law in self._laws.items()})
        except Error as error:
            if isinstance(text, str):
                raise
            # there is no text whose lines could be named
            raise Error(re.sub(rf"^{re.escape(source)}:\d+: ", "", str(error), flags=re.MULTILINE)) from None

    def __reduce__(self):
        return Mechanism, (self._text, "mechanism", self._laws)

    def __repr__(self) -> str:
        name = self._core.name + ": " if self._core.name else ""
        return (f"<Mechanism {name}{len(self.position_names)} coordinates, "
                f"{len(self.constraint_names)} constraint rows>")

    @property
    def name(self) -> str:
        """Name in the model file."""
        return self._core.name

    @property
    def summary(self) -> str:
        """Summary in the model file."""
        return self._core.summary

    @property
    def text(self) -> str:
        """The complete model file."""
        return self._core.text

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the model file, for read() and for `sunlagrange run FILE.json`. Raises Error if a law is a function."""
        if self._laws:
            raise Error(f"write: the laws {', '.join(self._laws)} are functions of Python, which a file cannot hold; take laws "
                        "with a name, e.g. SplineTable, or pickle the mechanism")
        written = self.text
        with open(file, "w", encoding="utf-8") as out:
            out.write(written)

    @property
    def position_names(self) -> list[str]:
        """Names of the columns of q and v."""
        return self._core.position_names

    @property
    def position_units(self) -> list[str]:
        """Units of the columns of q; empty: not known."""
        return self._core.position_units

    @property
    def constraint_names(self) -> list[str]:
        """Names of the columns of the multipliers."""
        return self._core.constraint_names

    @with_changes
    def replace(self, **changes: Any) -> Mechanism:
        """Returns another mechanism with other start values and options. What is not given stays."""
        return Mechanism(_changed(json.loads(self._text), **changes), functions=self._laws)

    @with_changes
    def simulate(self, events: Iterable[Event] | Event = (), record: Recorded = "every_step",
                 progress: Callable[[float], None] | None = None, check: bool = True, **changes: Any) -> Simulation:
        """Runs the mechanism. The interpreter lock is released meanwhile. Ctrl-C raises Interrupted, which has the run.

        record: "every_step", "ends_only", a number k for every k-th step, or times [s] (on the constraints).
        progress: called before every step with the time reached.
        check: raises RunFailed, which has the run, if it does not reach its end, and warns by DoubtWarning of doubts and of an
        uncertain branch; False: returns the run whatever happened, and outcome and doubts say it.
        Start values and options are for this run alone. Raises Error for those that do not fit.
        """
        if changes:
            return self.replace(**changes).simulate(events, record, progress, check)
        check = flag("check", check)
        run = Simulation(self, self._core.run(_events(events), _record(record), function("progress", progress, arguments=("t",))))
        if run.outcome == "interrupted":
            raise Interrupted(run)
        return _checked_run(run, check)

    def _rows(self) -> tuple[list[str], list[str]]:
        return self.position_names, self.constraint_names

    def _result(self, kind: str, found: dict) -> Any:
        """Returns a result of this type, and warns of its doubts."""
        made = answer(found, _results.by_result[kind], self._rows())
        _warn_of(made)
        return made

    def _analysis(self, kind: str, found: dict, title: str) -> Any:
        """Returns the result with its page. Raises Interrupted, which has the result, if Ctrl-C has ended the search."""
        page, interrupted = found.pop("page"), found.pop("interrupted", False)
        made = _results.analysis(_results.by_result[kind], found, page, self.name or title, self._rows())
        if not interrupted:
            _warn_of(made)
        return _whole(made, interrupted)

    @_returns("ConsistentState")
    def consistent_state(self) -> Answer:
        """Returns the state on the constraints that is nearest to the start."""
        return self._result("ConsistentState", self._core.consistent_state())

    @_returns("SystemQuantities")
    def evaluate(self, t: float, q: Iterable[float], v: Iterable[float] | None = None) -> Answer:
        """Returns M, f, g, (g', psi), G, gamma at any point (t, q, v), on the constraints or not; without v at rest.

        M v' + G^T lambda = f and G v' = gamma on the constraints.
        """
        rates = numpy.zeros(len(self.position_names)) if v is None else numpy.array(reals("v", v))
        return self._result("SystemQuantities", self._core.evaluate(finite("t", t), numpy.array(reals("q", q)), rates))

    @_returns("RedundancyReport")
    def redundancy(self) -> Answer:
        """Returns degrees of freedom, rank and redundant rows at the start."""
        return self._result("RedundancyReport", self._core.redundancy())

    @_returns("GainAdvice")
    def advice(self) -> Answer:
        """Returns the effect of the gains, given or automatic: rates, margin, cost and warnings."""
        return self._result("GainAdvice", self._core.advice())

    @_returns("Certificate")
    def certify(self, eps: float = 1e-4, sampled: bool = False) -> Answer:
        """Proves, if it can, that the constraint error of a run with fixed steps (rk1 ... rk4) stays below eps.

        sampled: the statement holds for the ball of radius eps round the run, otherwise for this run.
        """
        return self._result("Certificate", self._core.certify(finite("eps", eps), flag("sampled", sampled)))

    # ---- analyses about the start of this mechanism

    @property
    def parameters(self) -> list[results.Parameter]:
        """Parameters of its elements: name ("rod.L"), value, unit, meaning, range."""
        return answer(_core.parameters(self._core), _results.classes["Parameter"])

    def with_parameters(self, values: Mapping[str, float]) -> Mechanism:
        """Returns the mechanism with other values of some parameters, in the units of `parameters` or with their own, (50, "cm")."""
        units = {parameter.name: parameter.unit for parameter in self.parameters}
        given = [(name, finite(name, in_unit(name, value, units.get(name.split(",")[0].strip(), ""))))
                 for name, value in mapping("values", values).items()]
        return self._like(_core.with_parameters(self._core, given))

    def _like(self, core: Any) -> Mechanism:
        return Mechanism(core.text, functions=self._laws)

    @_returns("Equilibrium")
    def equilibrium(self) -> Analysis:
        """Returns the state at rest that Newton's iteration reaches from the start."""
        return self._analysis("Equilibrium", _core.equilibrium(self._core), "equilibrium")

    @_returns("Equilibrium", several=True)
    def equilibria(self, starts: int = 20, spread: float = 1.0, seed: int = 1) -> list[Analysis]:
        """Returns all different equilibria that are reached from the start and from random starts about it, stable ones first.

        spread: largest distance of the random starts, over the natural scale of each coordinate.
        """
        found, interrupted = _core.equilibria(self._core, whole("starts", starts), finite("spread", spread),
                                              whole("seed", seed, most=2**32 - 1))
        return _whole([self._analysis("Equilibrium", one, "equilibrium") for one in found], interrupted)

    @_returns("Linearisation")
    def linearise(self) -> Answer:
        """Linearises the motion about the start: dq = positions y, dv = velocities w + transport y, y' = T w + S y,
        M w' + (damping + gyroscopic) w + K y = 0; at: "equilibrium", "steady_motion" or "instant"."""
        return self._result("Linearisation", _core.linearise(self._core))

    @_returns("StateSpace")
    def state_space(self, inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Answer:
        """Returns the linearisation with inputs and outputs: x' = A x + B du, dz = C x + D du.

        inputs: elements whose law is sunlagrange.Input; none: all. outputs: coordinates, rates "arm.phi'",
        accelerations, multipliers "lambda:pin.x"; none: all coordinates.
        """
        return self._result("StateSpace", _core.state_space(self._core, names(inputs, "inputs"), names(outputs, "outputs")))

    @_returns("Modes")
    def modes(self) -> Analysis:
        """Returns eigenvalues and shapes of the linearised motion, slowest first."""
        return self._analysis("Modes", _core.modes(self._core), "modes")

    @_returns("Kinematics")
    def kinematics(self, coordinate: str, grid: Iterable[float], max_dead_points: int = 0) -> Analysis:
        """Returns all positions as functions of a driven coordinate. In each branch s, q, rate = dq/ds and
        curvature = d2q/ds2 have a row for each value of the grid."""
        found = _core.kinematics(self._core, _text("coordinate", coordinate), self._values("grid", grid, coordinate),
                                 whole("max_dead_points", max_dead_points))
        return self._analysis("Kinematics", found, "kinematics")

    @_returns("MechanismWorkspace")
    def workspace(self, point: str | Iterable[str], drives: Mapping[str, tuple[float, float, int]], offset: Iterable[float] = (0.0, 0.0, 0.0),
                  limits: Mapping[str, tuple[float, float]] | None = None) -> Analysis:
        """Returns the places of a point while driven coordinates, one for each degree of freedom, go over their ranges.

        point: a block with a place, or two or three coordinates; offset: place of the point in the axes of its body [m].
        drives: {"arm.phi": (from, to, values)}; limits: {coordinate: (lower, upper)}, also with units, ((0, "deg"),
        (90, "deg"), 10). s, places and manipulability have
        a row for each combination, and the last driven coordinate changes fastest.
        """
        point = names(point, "point")
        offset = reals("offset", offset)
        if len(offset) > 3:
            raise Error(f"offset: {offset} has {len(offset)} entries; give x, y and, in space, z [m]")
        offset += [0.0] * (3 - len(offset))
        ranges = []
        for name, given in mapping("drives", drives, "{coordinate: (from, to, values)}").items():
            low, high, count = entries(f"drives, {name}", given, 3, "(from, to, values)")
            ranges.append((name, self._value(f"drives, {name}, from", low, name),
                           self._value(f"drives, {name}, to", high, name), whole(f"drives, {name}, values", count)))
        bounds = []
        for name, given in mapping("limits", {} if limits is None else limits, "{coordinate: (lower, upper)}").items():
            low, high = entries(f"limits, {name}", given, 2, "(lower, upper)")
            bounds.append((name, *(_bound(f"limits, {name}", self._in_unit(f"limits, {name}", x, name)) for x in (low, high))))
        return self._analysis("MechanismWorkspace", _core.workspace(self._core, point, ranges, offset, bounds), "workspace")

    @_returns("InverseDynamics")
    def inverse_dynamics(self, t: float, q: Iterable[float], v: Iterable[float], a: Iterable[float],
                         drives: Iterable[str]) -> Answer:
        """Returns the forces along the driven coordinates that produce a motion."""
        vectors = (numpy.array(reals(name, x)) for name, x in (("q", q), ("v", v), ("a", a)))
        found = _core.inverse_dynamics(self._core, finite("t", t), *vectors, names(drives, "drives"))
        return self._result("InverseDynamics", found)

    @_returns("DriveForces")
    def drive_forces(self, times: Iterable[float], motions: Mapping[str, Iterable[float]]) -> Analysis:
        """Returns the drives that make coordinates follow tables of values at these times, {"arm.phi": values}.

        Cubic splines interpolate the tables. Give as many coordinates as the mechanism has degrees of freedom, and four
        times or more; the error of the accelerations is of the order of the intervals squared (table_error). t, power,
        missing and regularity have an entry for each time, q, v, a, multipliers and drive a row; there are fewer if
        status is not "finished".
        """
        times = _times("times", times)
        tables = [(name, self._values(f"motions, {name}", values, name))
                  for name, values in mapping("motions", motions).items()]
        for name, values in tables:
            if len(times) < 4 or len(values) != len(times):
                raise Error(f"motions, {name}: {len(values)} values at {len(times)} times; give as many, four at least")
        return self._analysis("DriveForces", _core.drive_forces(self._core, times, tables), "drive forces")

    @_returns("Sensitivities")
    def sensitivities(self, parameters: Iterable[str] = (), start_positions: Iterable[str] = (),
                      start_velocities: Iterable[str] = (), times: Iterable[float] = (), method: str = "staggered",
                      error_control: bool = True, events: Iterable[Event] = (),
                      event_parameters: Mapping[str, tuple[float, Callable[[float], list[Event]]]] | None = None
                      ) -> Analysis:
        """Returns the derivatives of the motion by parameters and start values. t, q, v, a and multipliers have a row for
        each time; dq, dv, da, dmultipliers have the shape (times, n or m, columns).

        times: times of output; none: the start and the end. Formulations baumgarte, penalty, projected, unstabilized, ggl,
        stabilized_index1. event_parameters: numbers that only the events know, {"floor.e": (0.8, events_of)} with
        events_of(0.8) the events.
        """
        numbers = []
        for name, given in mapping("event_parameters", {} if event_parameters is None else event_parameters,
                                  "{name: (value, events_of)}").items():
            value, make = entries(f"event_parameters, {name}", given, 2, "(value, events_of)")
            if not callable(make):
                raise wrong(f"event_parameters, {name}", make, "a function of the value that gives the events")
            numbers.append((name, finite(f"event_parameters, {name}", value), make))
        found = _core.sensitivities(self._core, *_columns(parameters, start_positions, start_velocities),
                                    _times("times", times), _text("method", method), flag("error_control", error_control),
                                    _events(events), numbers)
        return self._analysis("Sensitivities", found, "sensitivities")

    @_returns("Gradient")
    def gradient(self, functional: str, parameters: Iterable[str] = (), start_positions: Iterable[str] = (),
                 start_velocities: Iterable[str] = (), checkpoint_interval: int = 0) -> Analysis:
        """Returns one number of the motion and its gradient by any number of parameters and start values. The adjoint
        method costs about one motion forward and one backward.

        functional: "final bob.x", "integral bob.x'", "mean lambda:rod", "mean square bob.x": of a coordinate, rate,
        acceleration or multiplier. checkpoint_interval: steps; 0: automatic. Formulations baumgarte, penalty, projected,
        unstabilized.
        """
        found = _core.gradient(self._core, _text("functional", functional),
                               *_columns(parameters, start_positions, start_velocities),
                               whole("checkpoint_interval", checkpoint_interval))
        return self._analysis("Gradient", found, "gradient")

    @_returns("Identification")
    def identify(self, measurements: Iterable[Measurement], parameters: Iterable[str] = (),
                 start_positions: Iterable[str] = (), start_velocities: Iterable[str] = (),
                 deviations_known: bool = True, max_runs: int = 200) -> Analysis:
        """Estimates parameters and start values from measurements by weighted least squares. The values of this mechanism
        are the first guess.

        The result has the mechanism with the estimates as `mechanism`, and in fits the values of the model as `model`.
        deviations_known=False: only the ratios of the deviations count. Hold as many start positions as there are
        degrees of freedom (held_positions of replace()).
        """
        given = [measurements] if isinstance(measurements, Measurement) else listed(measurements)
        if given is None or not all(isinstance(m, Measurement) for m in given):
            raise wrong("measurements", measurements, "a list of sunlagrange.Measurement(output, t, values, deviation)")
        series = [(_text(f"measurements[{i}].output", m.output), _times(f"measurements[{i}].t", m.t),
                   self._values(f"measurements[{i}].values", m.values, m.output),
                   self._value(f"measurements[{i}].deviation", m.deviation, m.output))
                  for i, m in enumerate(given)]
        found = _core.identify(self._core, series, *_columns(parameters, start_positions, start_velocities),
                               flag("deviations_known", deviations_known), whole("max_runs", max_runs))
        if "mechanism" in found:
            found["mechanism"] = self._like(found["mechanism"])
        try:
            made = self._analysis("Identification", found, "identification")
        except Interrupted as stopped:
            stopped.partial._measured = series
            raise
        made._measured = series
        return made

    def _in_unit(self, what: str, given: Any, coordinate: str) -> Any:
        """Returns (30, "deg") as a number in the unit of a coordinate; other values as they are."""
        return in_unit(what, given, self._core.unit_of(coordinate))

    def _value(self, what: str, given: Any, coordinate: str) -> float:
        return finite(what, self._in_unit(what, given, coordinate))

    def _values(self, what: str, given: Any, coordinate: str) -> list[float]:
        """Returns numbers in the unit of a coordinate, also of (numbers, "deg") and of numbers with their own units."""
        return reals_in_unit(what, given, self._core.unit_of(coordinate))

    def objection(self, formulation: str, integrator: str = "automatic") -> str:
        """Returns why this formulation cannot be used, and what to use instead. Empty: it can be used."""
        return self._core.objection(_text("formulation", formulation), _text("integrator", integrator))


def _bound(what: str, given: Any) -> float:
    """Returns a limit, which may be infinite."""
    value = real(what, given)
    if math.isnan(value):
        raise Error(f"{what}={value}: must be a number, or infinite")
    return value


def _columns(parameters: Any, start_positions: Any, start_velocities: Any) -> tuple:
    """Returns the names of the parameters and start values of derivatives."""
    return (names(parameters, "parameters"), names(start_positions, "start_positions"),
            names(start_velocities, "start_velocities"))


def _changed(document_: dict, **changes: Any) -> dict:
    """Returns a model file with other start values and options."""
    for name in changes:
        if name not in _options:
            raise unknown("start value or option", name, _options, WrongType)
    changes = {name: value for name, value in changes.items() if value is not None or name not in _start_values}
    start = document_.setdefault("start", {})
    kinds = {body["name"]: kinds_of_blocks[body["type"]][0] for body in document_.get("bodies", ())}
    kinds.update((block["name"], block.get("kind", "generic")) for block in document_.get("blocks", ()))

    for held in ("held_positions", "held_velocities"):  # names alone hold the values that are there
        if held in changes and not isinstance(changes[held], Mapping):
            start[held] = names(changes.pop(held), held)
    for what in ("positions", "velocities"):
        guessed, kept = changes.get(what), changes.get("held_" + what)
        for name in kept if isinstance(guessed, Mapping) and isinstance(kept, Mapping) else ():
            if name in guessed and repr(guessed[name]) != repr(kept[name]):
                raise Error(f"{what}, {name}={guessed[name]!r} and held_{what}, {name}={kept[name]!r}: are two values for one "
                            f"start value; give it once, in held_{what} if it is to stay")
    known = {name: value for name, value in start.get("positions", {}).items() if isinstance(value, (int, float))}
    for prefix in ("", "held_"):
        entries_ = [prefix + "positions", prefix + "velocities"]
        found = expanded(*(mapping(entry, changes.get(entry, {})) for entry in entries_), kinds, known)
        for entry, target, given in zip(entries_, ("positions", "velocities"), found):
            if entry not in changes:
                continue
            start.setdefault(target, {}).update({name: document(value, f"{entry}, {name}") for name, value in given.items()})
            if prefix:
                start[entry] = list(given)
        known.update({name: value for name, value in found[0].items() if isinstance(value, (int, float))})
    if "t" in changes:
        start["t"] = document(changes["t"], "t")
    options = {name: document(value, name) for name, value in changes.items() if name not in _start_values}
    document_.setdefault("simulation", {}).update(options)
    return document_


class FunctionModel(Mechanism):
    """A model whose parts are functions of Python: M(t, q) v' + G^T lambda = f(t, q, v), g(t, q) = 0, psi(t, q, v) = 0.

    coordinates: their names. mass_matrix(t, q) gives M (n x n), applied_force(t, q, v) f (n),
    constraint(t, q) g (num_constraints), velocity_constraint(t, q, v) psi (num_velocity_constraints). The numbers are the
    lengths of what the functions return at the start, unless they are given. t is a float.
    constraint_jacobian(t, q), if it is known, gives dg/dq (num_constraints x n), and is refused where
    differences at random points contradict it; all else comes from differences.
    None instead of an array declines a point: the integrator shortens its step. A function whose first result is None is
    refused, because its `return` is probably missing. Exceptions of the functions end a run and are raised. Such a model
    is slower than elements by orders of magnitude. It can be pickled if its functions can.
    """

    @with_changes
    def __init__(self, coordinates: Iterable[str], mass_matrix: Callable[..., Any], applied_force: Callable[..., Any],
                 constraint: Callable[..., Any] | None = None, num_constraints: int | None = None,
                 velocity_constraint: Callable[..., Any] | None = None, num_velocity_constraints: int | None = None,
                 constraint_jacobian: Callable[..., Any] | None = None, **changes: Any):
        """coordinates: their names; the functions are those of the class."""
        blocks = [{"name": name, "size": 1} for name in names(coordinates, "coordinates")]
        for what, given_ in (("mass_matrix", mass_matrix), ("applied_force", applied_force)):
            if given_ is None:
                raise wrong(what, given_, "a function")
        counts = [None if count is None else whole(what, count) for what, count in (
            ("num_constraints", num_constraints), ("num_velocity_constraints", num_velocity_constraints))]
        for what, given_, arguments in (("mass_matrix", mass_matrix, "tq"), ("applied_force", applied_force, "tqv"),
                                        ("constraint", constraint, "tq"), ("constraint_jacobian", constraint_jacobian, "tq"),
                                        ("velocity_constraint", velocity_constraint, "tqv")):
            function(what, given_, "a function, or None", tuple(arguments))
        if constraint is None and constraint_jacobian is not None:
            raise Error("constraint_jacobian: is given without constraint, whose derivative it is; give constraint as well")
        given = _changed({"blocks": blocks, "elements": []}, **changes)
        coordinates = [block["name"] for block in blocks]
        start = json.loads(Mechanism(given)._core.text).get("start", {})
        t, q, v = start.get("t", 0.0), *(numpy.array([start.get(what, {}).get(name, 0.0) for name in coordinates])
                                         for what in ("positions", "velocities"))
        self._set(given, (coordinates, _rows_of("constraint", "num_constraints", constraint, counts[0], t, q),
                          _rows_of("velocity_constraint", "num_velocity_constraints", velocity_constraint, counts[1], t, q, v),
                          mass_matrix, applied_force, constraint, velocity_constraint, constraint_jacobian))

    def _set(self, given: dict, functions: tuple) -> FunctionModel:
        super().__init__(given)
        self._functions = functions
        self._core.use_functions(_core.Functions(*functions))
        return self

    def __reduce__(self):
        return _function_model, (json.loads(self._text), self._functions)

    @property
    def text(self) -> str:
        """Raises Error: a model file cannot hold functions."""
        raise Error("text: a FunctionModel is made of functions of Python, which a model file cannot hold; pickle the model, or "
                    "use elements of the library")

    def __repr__(self) -> str:
        return "<FunctionModel of functions: " + super().__repr__().partition("Mechanism ")[2]

    @with_changes
    def replace(self, **changes: Any) -> FunctionModel:
        """Returns another model with other start values and options. What is not given stays."""
        return _function_model(_changed(json.loads(self._text), **changes), self._functions)

    def _like(self, core: Any) -> FunctionModel:
        described = _core.parse(self._text, "FunctionModel", {})  # its coordinates without the functions
        return _function_model(json.loads(_core.text_with_start(described, core)), self._functions)


def _rows_of(what: str, number: str, call: Callable[..., Any] | None, count: int | None, *start: Any) -> int:
    """Returns the number of rows of a constraint: as given, or the length of what its function returns at the start."""
    if call is None:
        if count:
            raise Error(f"{number}={count}: {what} is missing; give the function that returns {count} numbers, or leave "
                        f"{number} out")
        return 0
    if count is None:
        returned = call(*start)
        if returned is None:
            raise Error(f"{what}: {getattr(call, '__name__', 'the function')} returned None at the start; forgot return? "
                        f"Otherwise give {number}")
        count = numpy.size(returned)
    if count == 0:
        raise Error(f"{what} is given, but {number} is 0, the number of its values; leave both out, or give one constraint at "
                    "least")
    return count


def _function_model(given: dict, functions: tuple) -> FunctionModel:
    return FunctionModel.__new__(FunctionModel)._set(given, functions)


class Simulation(_Page):
    """A run: t, and q, v, a, multipliers with a row for each time. It can be pickled.

    run["arm.phi"] is one coordinate, run["arm.phi'"] its velocity, run["arm.phi''"] its acceleration, run["lambda:pin.x"] a
    multiplier, run["t"] the times; columns lists them. len(run) is the number of states. outcome: "finished", or why it
    ended; message: the explanation; doubts: reasons why a finished run may be wrong; report: all figures, see
    figures()["Simulation"]. print(run) shows the report.
    """

    mechanism: Mechanism
    finished: bool
    beyond_doubt: bool
    outcome: str
    message: str
    verdict: str
    doubts: list[results.Doubt]
    report: results.Report

    def __init__(self, mechanism: Mechanism, core: Any):
        self.mechanism = mechanism
        self._page = lambda title: core.page(mechanism._core, title)
        self._trajectory = core.trajectory
        self._write_csv = core.write_csv
        self.finished = core.finished
        self.beyond_doubt = core.beyond_doubt
        self.outcome = core.outcome
        self.message = core.message
        self.verdict = core.verdict
        self.doubts = answer(core.doubts, _results.classes["Doubt"])
        self.report = answer(core.report, _results.by_result["Simulation"], mechanism._rows())

    def __getstate__(self):
        return {**self.__dict__, "_page": None, "_write_csv": None}

    def __str__(self) -> str:
        return self.report["text"]

    def __repr__(self) -> str:
        return f"<Simulation: {self.outcome}, {len(self.t)} states up to t = {self.report['t_reached']:g}>"

    @property
    def t(self) -> numpy.ndarray:
        """Times [s]."""
        return self._trajectory.t

    @property
    def q(self) -> numpy.ndarray:
        """Positions, a read-only view; columns: mechanism.position_names."""
        return self._trajectory.q

    @property
    def v(self) -> numpy.ndarray:
        """Velocities."""
        return self._trajectory.v

    @property
    def a(self) -> numpy.ndarray:
        """Accelerations of the formulation."""
        return self._trajectory.a

    @property
    def multipliers(self) -> numpy.ndarray:
        """Physical multipliers; columns: mechanism.constraint_names. The force on the coordinates is -G^T lambda."""
        return self._trajectory.multipliers

    @property
    def events(self) -> list[Any]:
        """Events in order of time: t, name, action of the handler, energies before and after."""
        return self.report["events"]

    @property
    def position_names(self) -> list[str]:
        """Names of the columns of q and v."""
        return self.mechanism.position_names

    @property
    def columns(self) -> list[str]:
        """Names of all columns: t, positions, velocities, accelerations, multipliers."""
        positions = self.position_names
        return ["t", *positions, *(name + "'" for name in positions), *(name + "''" for name in positions),
                *("lambda:" + name for name in self.mechanism.constraint_names)]

    def __len__(self) -> int:
        return len(self.t)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> numpy.ndarray:
        positions = self.position_names
        if name in positions:
            return self.q[:, positions.index(name)]
        if name not in self.columns:
            raise unknown("coordinate", name, self.columns[1:] if isinstance(name, str) and name[-1:] == "'" else positions)
        if name == "t":
            return self.t
        if name.startswith("lambda:") and name[7:] in self.mechanism.constraint_names:
            return self.multipliers[:, self.mechanism.constraint_names.index(name[7:])]
        rates = self.a if name.endswith("''") else self.v
        return rates[:, positions.index(name.rstrip("'"))]

    def to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame: times as the index, and a column for each of `columns`."""
        pandas = _tables._package("pandas", "to_dataframe()")
        table = {name: self[name] for name in self.columns[1:]}
        return pandas.DataFrame(table, index=pandas.Index(self.t, name="t"))

    def plot(self, *columns: str, ax: Any = None) -> Any:
        """Draws columns over time with matplotlib, one panel for each unit, and returns the axes. Without columns: all
        positions. ax: axes to draw into."""
        units = dict(zip(self.position_names, self.mechanism.position_units))

        def unit(name: str) -> str:
            base = name.rstrip("'")
            order = len(name) - len(base)
            given = units.get(base, "") if name in self.columns else ""
            return (f"{given}/s" + ("^2" if order == 2 else "") if order else given) if given else \
                ("" if name in units else name.partition(":")[0] + ("'" * order if base in units else ""))

        curves = [(unit(name), name, self.t, self[name]) for name in columns or self.position_names]
        return _tables.panels(curves, "t [s]", ax)

    def velocity(self, name: str) -> numpy.ndarray:
        """Returns the velocity of one coordinate."""
        return self.v[:, self._column(name)]

    def _column(self, name: str) -> int:
        columns = self.position_names
        if name not in columns:
            raise unknown("coordinate", name, columns)
        return columns.index(name)

    def multipliers_of(self, constraint: str) -> numpy.ndarray:
        """Returns the multipliers of a row, or of all rows of an element: a column for each."""
        rows = self.mechanism._core.constraint_rows(_text("constraint", constraint))
        if not rows:
            raise unknown("constraint", constraint, self.mechanism.constraint_names)
        return self.multipliers[:, rows]

    def forces(self, constraint: str) -> numpy.ndarray:
        """Returns the physical force of a constraint, or of all rows of an element, on the coordinates: a row for each time."""
        return self.mechanism._core.forces(self._trajectory, _text("constraint", constraint))

    def joint_forces(self, joint: str | None = None) -> dict[str, Any]:
        """Returns {body: JointForce} of a joint; without a name {joint: {body: JointForce}} of all joints."""
        found = {name: {body: JointForce(f.force, f.point, f.torque, numpy.array(f.unique))
                        for body, f in bodies.items()}
                 for name, bodies in self.mechanism._core.joint_forces(
                     self._trajectory, "" if joint is None else _text("joint", joint)).items()}
        if joint is None:
            return found
        if joint not in found:
            raise unknown("joint on bodies or points called", joint, self.joint_forces())
        return found[joint]

    def position_at(self, t: float | Iterable[float]) -> numpy.ndarray:
        """Returns interpolated positions at one time, or a row for each of several times."""
        return self._at(self._trajectory.position_at, t)

    def velocity_at(self, t: float | Iterable[float]) -> numpy.ndarray:
        """Returns interpolated velocities at one time, or a row for each of several times."""
        return self._at(self._trajectory.velocity_at, t)

    @staticmethod
    def _at(one: Callable, t: Any) -> numpy.ndarray:
        return numpy.array([one(x) for x in reals("t", t)]) if listed(t) is not None else one(finite("t", t))

    @_returns("Reactions")
    def reactions(self, t: float) -> Answer:
        """Returns the constraint forces at one time: ideal and stabilizing multipliers by row, forces, violations, rank."""
        return self.mechanism._result("Reactions", self.mechanism._core.reactions(self._trajectory, finite("t", t)))

    @_returns("PowerBalance")
    def power_balance(self, t: float) -> Answer:
        """Returns the power that every element stores, dissipates and supplies at one time [W]."""
        return self.mechanism._result("PowerBalance", self.mechanism._core.power_balance(self._trajectory, finite("t", t)))

    @_returns("EnergyBalance")
    def energy_balance(self) -> Answer:
        """Returns the energy that every element stored, dissipated and supplied over the run [J]; needs every step recorded."""
        return self.mechanism._result("EnergyBalance", self.mechanism._core.energy_balance(self._trajectory))

    def write_csv(self, file: str | os.PathLike[str]) -> None:
        """Writes times, positions, velocities and multipliers with a line of names, and their errors if estimate_error
        was set (but not for a run that was pickled)."""
        write = self._write_csv or self._trajectory.write_csv
        write(self.mechanism._core, path("file", file))

    def _title(self) -> str:
        return self.mechanism.name or "run"

    def _repr_html_(self) -> str:
        if self._page is None or len(self.t) == 0:
            return f"<pre>{html.escape(str(self))}</pre>"
        return self._frame()


def _end_of(checkpoint: str) -> dict[str, Any]:
    """Returns the t_end of a checkpoint; nothing if it has none, or is no checkpoint, which is reported later."""
    try:
        return {"t_end": float(json.loads(checkpoint)["options"]["t_end"])}
    except (ValueError, LookupError, TypeError):
        return {}


def _checkpoint(given: Any) -> str:
    """Returns the text of a checkpoint, which is not empty."""
    if not _text("checkpoint", given).strip():
        raise Error(f"checkpoint={given!r}: is empty; give the result of save(), or None to begin at the start")
    return given


class Stepper:
    """A run that advances step by step or to given times. Inputs can be set and outputs read in between, and its state
    can be saved and restored.

    Inputs are elements whose law is sunlagrange.Input. t_end is the latest time.
    """

    mechanism: Mechanism

    @with_changes
    def __init__(self, model: Mechanism | Assembly, events: Iterable[Event] | Event = (),
                 record: Recorded = "every_step", checkpoint: str | None = None, **changes: Any):
        """checkpoint: the result of save(), from which the run continues with the events that it had; None: it begins at
        the start. An Assembly without t_end has that of the checkpoint."""
        if checkpoint is not None:
            _checkpoint(checkpoint)
            if isinstance(model, Assembly):
                changes = {**_end_of(checkpoint), **changes}
        self.mechanism = _mechanism(model, changes)
        self._core = _core.Stepper(self.mechanism._core, _events(events), _record(record), checkpoint)

    def __repr__(self) -> str:
        return f"<Stepper at t = {self.time:g}, {self.outcome}>"

    @property
    def time(self) -> float:
        """Time of the newest state [s]."""
        return self._core.time

    @property
    def over(self) -> bool:
        """True if t_end is reached, an event has stopped the run, or it has failed."""
        return self._core.over

    @property
    def outcome(self) -> str:
        """Outcome of the run; "finished" while it has not failed."""
        return self._core.outcome

    @property
    def message(self) -> str:
        """Explanation of the outcome."""
        return self._core.message

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, for set()."""
        return self._core.inputs

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, for read(): coordinates, rates "arm.phi'", accelerations, "lambda:pin.x", "energy", inputs,
        forces."""
        return self._core.outputs

    def step(self) -> bool:
        """Takes one step of the integrator. Returns False if the run is over."""
        return self._core.step()

    def advance_to(self, t: float, observer: Callable[[Stepper], bool | None] | None = None) -> bool:
        """Steps to the time t and returns True if it was reached. observer(stepper) is called after every step; False ends
        the call there, None does not."""
        function("observer", observer, arguments=("stepper",))

        def goes_on() -> bool:
            answered = observer(self)
            return answered is None or bool(answered)

        return self._core.advance_to(finite("t", t), None if observer is None else goes_on)

    def set(self, name: str, value: float) -> None:
        """Sets an input from now on."""
        self._core.set(_text("name", name), finite(f"input {name}", value))

    def read(self, name: str) -> float:
        """Returns an output at the newest state."""
        return self._core.read(_text("name", name))

    def state(self) -> results.State:
        """Returns t, q, v, a and multipliers of the newest state."""
        return answer(self._core.state(), _results.classes["State"], self.mechanism._rows())

    def save(self) -> str:
        """Returns a checkpoint, a JSON document from which restore() and `checkpoint` continue the run."""
        return self._core.save()

    def restore(self, checkpoint: str) -> None:
        """Returns to a saved state of this run; later states are dropped."""
        self._core.restore(_checkpoint(checkpoint))

    def finish(self, check: bool = True) -> Simulation:
        """Ends the run and returns it. The stepper cannot be used afterwards.

        check: raises RunFailed if the run has failed, and warns of doubts, see Mechanism.simulate().
        """
        check = flag("check", check)
        return _checked_run(Simulation(self.mechanism, self._core.finish()), check)


def _mechanism(model: Any, changes: Mapping[str, Any]) -> Mechanism:
    """Returns the mechanism of an Assembly or a Mechanism with other start values and options."""
    if isinstance(model, Assembly):
        return model.build(**changes)
    if not isinstance(model, Mechanism):
        raise wrong("model", model, "a Mechanism or an Assembly; read(file) makes a Mechanism of a model file")
    return model.replace(**changes) if changes else model


@with_changes
def simulate(model: Mechanism | Assembly, events: Iterable[Event] | Event = (), record: Recorded = "every_step",
             progress: Callable[[float], None] | None = None, check: bool = True, **changes: Any) -> Simulation:
    """Runs a Mechanism or an Assembly.

    record: "every_step", "ends_only", a number k for every k-th step, or times [s] (on the constraints).
    progress: called before every step with the time reached.
    check: raises RunFailed, which has the run, if it does not reach its end, and warns by DoubtWarning of doubts and of an
    uncertain branch; False: returns the run whatever happened, and outcome and doubts say it.
    """
    return _mechanism(model, changes).simulate(events, record, progress, check)


def read(file: str | os.PathLike[str]) -> Mechanism:
    """Reads a model file. Raises Error naming line, element and field."""
    with open(path("file", file), encoding="utf-8") as text:
        return Mechanism(text.read(), os.fspath(file))


_library = os.path.join(os.path.dirname(__file__), "mechanisms")


def mechanisms() -> list[str]:
    """Returns the names of the mechanisms of the package, for mechanism()."""
    files = os.listdir(_library) if os.path.isdir(_library) else []
    return sorted(file[:-5] for file in files if file.endswith(".json"))


def mechanism(name: str) -> Mechanism:
    """Returns a mechanism of the package."""
    if _text("name", name) not in mechanisms():
        raise unknown("mechanism", name, mechanisms())
    return read(os.path.join(_library, name + ".json"))


def formulations() -> list[Record]:
    """Returns all formulations: name, summary, equations ("ode", "dae", "one_step"), unknowns, when, when_not."""
    return [Record(entry) for entry in _core.formulations()]


def integrators() -> list[Record]:
    """Returns all integrators: name, summary, equations, fixed_step."""
    return [Record(entry) for entry in _core.integrators()]


def linear_solvers() -> list[Record]:
    """Returns all linear solvers: name, summary, available."""
    return [Record(entry) for entry in _core.linear_solvers()]


def elements() -> list[Record]:
    """Returns all elements: name of the class, summary, kinds of its blocks (empty: any)."""
    return [Record(entry) for entry in _core.elements()]


def schema() -> dict[str, Any]:
    """Returns the JSON schema of model files."""
    return json.loads(_core.schema())
