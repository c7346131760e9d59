"""Mechanisms, their runs and their analyses."""

from __future__ import annotations

import html
import json
import math
import os
import re
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy

from . import _core
from ._description import Part, document
from ._errors import (Error, UnknownAttribute, WrongType, entries, events as _events, finite, flag, function, listed, mapping,
                      names, path, real, reals, record as _record, text as _text, unknown, whole, wrong)


class Answer(dict):
    """A result: figures by name, also as attributes. print() shows the text of the result."""

    def __missing__(self, name: str) -> Any:
        raise unknown("", name, self)

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise unknown("", name, self, UnknownAttribute)
        return self[name]

    def __str__(self) -> str:
        return self.get("text") or super().__str__()


def figures() -> dict[str, list[Answer]]:
    """Returns the figures of every type of results, from the descriptions in C++: name, kind, unit and meaning.

    A dot in a name leads into a part, [] stands for the entries of a list or of an array.
    """
    return {result: [Answer(figure, name=_name_in_python(figure["name"])) for figure in listed_figures
                     if figure["name"].split(".")[-1] != "points"]
            for result, listed_figures in _core.figures().items()}


def _name_in_python(name: str) -> str:
    """The points of a curve are arrays of the result itself; lambda is a keyword of Python."""
    parts = name.replace("points[].", "").split(".")
    return ".".join({"lambda": "multipliers", "dlambda": "dmultipliers"}.get(part, part) for part in parts)


def _returns(result: str) -> Callable:
    """Decorator of methods that return this type of results: their docstrings list its figures."""
    lines = [f"{figure.name}: {figure.meaning}" + (f" [{figure.unit}]" if figure.unit not in ("", "1") else "")
             for figure in figures()[result] if "." not in figure.name and "[]" not in figure.name]

    def describe(method: Callable) -> Callable:
        method.__doc__ = "\n        ".join([f"{method.__doc__.rstrip()}\n", "Figures of the result:", "", *lines])
        return method

    return describe


class _Page:
    """A result with a page; `_page` makes it from a title."""

    _page: Callable[[str], str] | None = None

    def _title(self) -> str:
        return ""

    def html(self, title: str = "") -> str:
        """Returns the page, one file that opens in any browser without a network. title: default the name of the model."""
        if self._page is None:
            raise Error("a page is made before it is pickled: write_html() or html()")
        return self._page(title or self._title())

    def write_html(self, file: str | os.PathLike, title: str = "") -> None:
        """Writes that page to a file."""
        page = self.html(title)
        with open(file, "w", encoding="utf-8") as out:
            out.write(page)

    def _frame(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html())}" style="width:100%;height:48em;border:0"></iframe>'


class Analysis(_Page, Answer):
    """An Answer with a page of moving shapes, curves or places. Raises Error for the page if nothing was found."""

    def __init__(self, found: Any = (), page: Callable[[str], str] | None = None, title: str = ""):
        super().__init__(found)
        self._page, self._name = page, title

    def __reduce__(self) -> tuple:
        return Analysis, (dict(self),)  # the page stays behind

    def _title(self) -> str:
        return self._name

    def _repr_html_(self) -> str:
        try:
            return self._frame()
        except Error:
            return f"<pre>{html.escape(str(self))}</pre>"


def _analysis(found: Any, title: str) -> Analysis:
    """Returns the result with its page. Raises Interrupted, which has the result, if Ctrl-C has ended the search."""
    page, interrupted = found.pop("page"), found.pop("interrupted", False)
    return _whole(Analysis(_answer(found), page, title), interrupted)


def _whole(found: Any, interrupted: bool) -> Any:
    if interrupted:
        raise Interrupted(found, "the analysis was interrupted")
    return found


def _answer(found: Any) -> Any:
    """Returns dicts as Answers, at every depth."""
    if isinstance(found, dict):
        return Answer((name, _answer(entry)) for name, entry in found.items())
    return [_answer(entry) for entry in found] if isinstance(found, list) else found


def _require_finite(given: Any, where: str = "") -> None:
    """Raises Error naming element or list, field and value for numbers that JSON does not have."""
    if isinstance(given, float) and not math.isfinite(given):
        raise Error(f"{where} = {given}: must be a finite number")
    for field, entry in given.items() if isinstance(given, dict) else enumerate(given) if isinstance(given, list) else ():
        if where in ("elements", "blocks"):
            inside = f"{where[:-1]} \"{entry.get('name', field)}\""
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
    """Values at these times, in the unit of the output."""
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
        if function is not None and not callable(function):
            raise WrongType(f"Event {name!r}: function={function!r}: must be a function of t, q, v")
        if action is not None and not callable(action):
            raise WrongType(f"Event {name!r}: action={action!r}: must be a function of an EventContext")
        given = [] if times is None else reals("times", times)
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
    """Builder of a mechanism: named blocks of coordinates and elements that act on them."""

    def __init__(self) -> None:
        self._blocks: dict[str, dict] = {}
        self._elements: dict[str, dict] = {}

    def add_coordinates(self, name: str, kind: str | int, natural_scale: float | list[float] | None = None) -> Block:
        """Adds a block of a kind ("planar_body", "rotation", ...), or of a number of generic coordinates.

        natural_scale: typical size of its coordinates, for the absolute tolerance.
        Raises Error if something does not fit; then nothing is added.
        """
        field = "kind" if isinstance(kind, str) else "size"
        block: dict = {"name": _text("add_coordinates: name", name), field: document(kind, f"block {name!r}: {field}")}
        if natural_scale is not None:
            block["natural_scale"] = document(natural_scale, f"block {name!r}: natural_scale")
        coordinates = self._checked(block, [], blocks=[block]).position_names
        self._blocks[name] = block
        made = Block(name)
        made._size = len(coordinates)
        made._parts = [given[len(name) + 1:] for given in coordinates if given.startswith(name + ".")]
        if kind in ("planar_body", "spatial_body"):
            made._parts.append("centre")
        return made

    def add(self, name: str, element: Part, *blocks: str) -> None:
        """Adds an element that acts on blocks, or on one list of blocks.

        Raises Error naming element and field if something does not fit; then nothing is added.
        """
        if not isinstance(element, Part):
            raise WrongType(f"{name}: {element!r} is no element, e.g. sunlagrange.PointMass(m=1.0)")
        if len(blocks) == 1 and isinstance(blocks[0], (list, tuple)):
            blocks = tuple(blocks[0])
        try:
            given = {"name": _text("name", name), "type": type(element).__name__,
                    "blocks": [str(_text("block", b)) for b in blocks], "parameters": element.document()}
        except WrongType as error:
            raise WrongType(f"element {name!r}: {error}") from None
        used = {self._block_of(b) for b in given["blocks"]}
        self._checked(given, [entry for block, entry in self._blocks.items() if None in used or block in used],
                      elements=[given])
        self._elements[name] = given

    def _block_of(self, name: str) -> str | None:
        """Returns the block of "arm.phi" or "q[0]"."""
        while name and name not in self._blocks:
            name = name[:max(name.rfind("."), name.rfind("["), 0)]
        return name or None

    def _checked(self, new: dict, needed: Iterable[dict], **parts: list[dict]) -> Mechanism:
        """Returns a mechanism of the new part and the blocks it needs; of all parts if its name is in use, which is refused."""
        if new["name"] in self._blocks or new["name"] in self._elements:
            needed, parts["elements"] = self._blocks.values(), [*self._elements.values(), *parts.get("elements", ())]
        return Mechanism({"blocks": [*needed, *parts.get("blocks", ())], "elements": parts.get("elements", [])}, "Assembly")

    def build(self, **changes: Any) -> Mechanism:
        """Returns the mechanism; `changes` as for Mechanism.replace. Raises Error naming element and field."""
        made = {"blocks": list(self._blocks.values()), "elements": list(self._elements.values())}
        return Mechanism(_changed(made, **changes), "Assembly")


class Mechanism:
    """A model with its start and the options of its runs, as in a model file. It does not change and can be pickled."""

    def __init__(self, text: str | dict, source: str = "mechanism"):
        if not isinstance(text, str):
            _require_finite(text)
        self._text = text if isinstance(text, str) else json.dumps(text)
        try:
            self._core = _core.parse(self._text, source)
        except Error as error:
            if isinstance(text, str):
                raise
            # there is no text whose lines could be named
            raise Error(re.sub(rf"^{re.escape(source)}:\d+: ", "", str(error), flags=re.MULTILINE)) from None

    def __reduce__(self):
        return Mechanism, (self._text,)

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

    def write(self, file: str | os.PathLike) -> None:
        """Writes the model file, for read() and for `sunlagrange run FILE.json`."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.text)

    @property
    def position_names(self) -> list[str]:
        """Names of the columns of q and v."""
        return self._core.position_names

    @property
    def constraint_names(self) -> list[str]:
        """Names of the columns of the multipliers."""
        return self._core.constraint_names

    def replace(self, **changes: Any) -> Mechanism:
        """Returns another mechanism with other start values and options.

        positions, velocities: {name: value}, guesses that are corrected so that the constraints hold.
        held_positions, held_velocities: {name: value} that are kept, or names of values that are kept.
        t: time of the start. All other changes are options of the run: t_end, formulation, integrator, rtol, atol,
        step, ..., see schema()["properties"]["simulation"].
        """
        return Mechanism(_changed(json.loads(self._text), **changes))

    def simulate(self, events: Iterable[Event] = (), record: str | int | Iterable[float] = "every_step",
                 progress: Callable[[float], None] | None = None, **changes: Any) -> Simulation:
        """Runs the mechanism. The interpreter lock is released meanwhile. Ctrl-C raises Interrupted, which has the run.

        changes: as for replace(), for this run alone.
        record: "every_step", "ends_only", a number k for every k-th step, or times [s] (on the constraints).
        progress: called before every step with the time reached.
        Raises Error for options that do not fit. Simulation.outcome tells how the run ended.
        """
        if changes:
            return self.replace(**changes).simulate(events, record, progress)
        run = Simulation(self, self._core.run(_events(events), _record(record), function("progress", progress)))
        if run.outcome == "interrupted":
            raise Interrupted(run)
        return run

    @_returns("ConsistentState")
    def consistent_state(self) -> Answer:
        """Returns the state on the constraints that is nearest to the start."""
        return Answer(self._core.consistent_state())

    @_returns("SystemQuantities")
    def evaluate(self, t: float, q: Iterable[float], v: Iterable[float] | None = None) -> Answer:
        """Returns M, f, g, (g', psi), G, gamma at any point (t, q, v), on the constraints or not; without v at rest.

        M v' + G^T lambda = f and G v' = gamma on the constraints. Rows and signs: sunlagrange/notation.hpp.
        """
        rates = numpy.zeros(len(self.position_names)) if v is None else numpy.array(reals("v", v))
        return Answer(self._core.evaluate(finite("t", t), numpy.array(reals("q", q)), rates))

    @_returns("RedundancyReport")
    def redundancy(self) -> Answer:
        """Returns degrees of freedom, rank and redundant rows at the start."""
        return Answer(self._core.redundancy())

    @_returns("GainAdvice")
    def advice(self) -> Answer:
        """Returns the effect of the gains, given or automatic: rates, margin, cost and warnings."""
        return Answer(self._core.advice())

    @_returns("Certificate")
    def certify(self, eps: float = 1e-4, sampled: bool = False) -> Answer:
        """Proves, if it can, that the constraint error of a run with fixed steps (rk1 ... rk4) stays below eps.

        sampled: the statement holds for the ball of radius eps round the run, otherwise for this run.
        """
        return Answer(self._core.certify(finite("eps", eps), flag("sampled", sampled)))

    # ---- analyses about the start of this mechanism

    @property
    def parameters(self) -> list[Answer]:
        """Parameters of its elements: name ("rod.L"), value, unit, meaning, range."""
        return [Answer(p) for p in _core.parameters(self._core)]

    def with_parameters(self, values: Mapping[str, float]) -> Mechanism:
        """Returns the mechanism with other values of some parameters, in the units of `parameters`."""
        given = [(name, finite(name, value)) for name, value in mapping("values", values).items()]
        return self._like(_core.with_parameters(self._core, given))

    def _like(self, core: Any) -> Mechanism:
        return Mechanism(core.text)

    @_returns("Equilibrium")
    def equilibrium(self) -> Analysis:
        """Returns the state at rest that Newton's iteration reaches from the start."""
        return _analysis(_core.equilibrium(self._core), self.name or "equilibrium")

    def equilibria(self, starts: int = 20, spread: float = 1.0, seed: int = 1) -> list[Analysis]:
        """Returns all different equilibria that are reached from the start and from random starts about it, stable ones first.

        spread: largest distance of the random starts, over the natural scale of each coordinate.
        """
        found, interrupted = _core.equilibria(self._core, whole("starts", starts), finite("spread", spread),
                                              whole("seed", seed, most=2**32 - 1))
        return _whole([_analysis(one, self.name or "equilibrium") for one in found], interrupted)

    @_returns("Linearisation")
    def linearise(self) -> Answer:
        """Linearises the motion about the start: dq = positions y, dv = velocities w + transport y, y' = T w + S y,
        M w' + (damping + gyroscopic) w + K y = 0; at: "equilibrium", "steady_motion" or "instant"."""
        return _answer(_core.linearise(self._core))

    @_returns("StateSpace")
    def state_space(self, inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Answer:
        """Returns the linearisation with inputs and outputs: x' = A x + B du, dz = C x + D du.

        inputs: elements whose law is sunlagrange.Input; none: all. outputs: coordinates, rates "arm.phi'",
        accelerations, multipliers "lambda:pin.x"; none: all coordinates.
        """
        return _answer(_core.state_space(self._core, names(inputs, "inputs"), names(outputs, "outputs")))

    @_returns("Modes")
    def modes(self) -> Analysis:
        """Returns eigenvalues and shapes of the linearised motion, slowest first."""
        return _analysis(_core.modes(self._core), self.name or "modes")

    @_returns("Kinematics")
    def kinematics(self, coordinate: str, grid: Iterable[float], max_dead_points: int = 0) -> Analysis:
        """Returns all positions as functions of a driven coordinate. In each branch s, q, rate = dq/ds and
        curvature = d2q/ds2 have a row for each value of the grid."""
        found = _core.kinematics(self._core, _text("coordinate", coordinate), self._values("grid", grid, coordinate),
                                 whole("max_dead_points", max_dead_points))
        return _analysis(found, self.name or "kinematics")

    @_returns("MechanismWorkspace")
    def workspace(self, point: str | Iterable[str], drives: Mapping[str, tuple], offset: Iterable[float] = (0.0, 0.0, 0.0),
                  limits: Mapping[str, tuple] | None = None) -> Analysis:
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
        return _analysis(_core.workspace(self._core, point, ranges, offset, bounds), self.name or "workspace")

    @_returns("InverseDynamics")
    def inverse_dynamics(self, t: float, q: Iterable[float], v: Iterable[float], a: Iterable[float],
                         drives: Iterable[str]) -> Answer:
        """Returns the forces along the driven coordinates that produce a motion."""
        vectors = (numpy.array(reals(name, x)) for name, x in (("q", q), ("v", v), ("a", a)))
        return _answer(_core.inverse_dynamics(self._core, finite("t", t), *vectors, names(drives, "drives")))

    @_returns("DriveForces")
    def drive_forces(self, times: Iterable[float], motions: Mapping[str, Iterable[float]]) -> Analysis:
        """Returns the drives that make coordinates follow tables of values at these times, {"arm.phi": values}.

        Cubic splines interpolate the tables. Give as many coordinates as the mechanism has degrees of freedom, and four
        times or more; the error of the accelerations is of the order of the intervals squared (table_error). t, power,
        missing and regularity have an entry for each time, q, v, a, multipliers and drive a row; there are fewer if
        status is not "finished".
        """
        times = reals("times", times)
        tables = [(name, self._values(f"motions, {name}", values, name))
                  for name, values in mapping("motions", motions).items()]
        for name, values in tables:
            if len(times) < 4 or len(values) != len(times):
                raise Error(f"motions, {name}: {len(values)} values at {len(times)} times; give as many, four at least")
        return _analysis(_core.drive_forces(self._core, times, tables), self.name or "drive forces")

    @_returns("Sensitivities")
    def sensitivities(self, parameters: Iterable[str] = (), start_positions: Iterable[str] = (),
                      start_velocities: Iterable[str] = (), times: Iterable[float] = (), method: str = "staggered",
                      error_control: bool = True, events: Iterable[Event] = (),
                      event_parameters: dict[str, tuple[float, Callable[[float], list[Event]]]] | None = None
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
                                    reals("times", times), _text("method", method), flag("error_control", error_control),
                                    _events(events), numbers)
        return _analysis(found, self.name or "sensitivities")

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
        return _analysis(found, self.name or "gradient")

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
        series = [(_text(f"measurements[{i}].output", m.output), reals(f"measurements[{i}].t", m.t),
                   reals(f"measurements[{i}].values", m.values), finite(f"measurements[{i}].deviation", m.deviation))
                  for i, m in enumerate(given)]
        found = _core.identify(self._core, series, *_columns(parameters, start_positions, start_velocities),
                               flag("deviations_known", deviations_known), whole("max_runs", max_runs))
        if "mechanism" in found:
            found["mechanism"] = self._like(found["mechanism"])
        return _analysis(found, self.name or "identification")

    def _in_unit(self, what: str, given: Any, coordinate: str) -> Any:
        """Returns (30, "deg") as a number in the unit of a coordinate; other values as they are."""
        if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str)):
            return given
        return _core.in_unit(finite(what, given[0]), given[1], self._core.unit_of(coordinate))

    def _value(self, what: str, given: Any, coordinate: str) -> float:
        return finite(what, self._in_unit(what, given, coordinate))

    def _values(self, what: str, given: Any, coordinate: str) -> list[float]:
        """Returns numbers in the unit of a coordinate, also of (numbers, "deg") and of numbers with their own units."""
        if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str):
            given = [(x, given[1]) for x in reals(what, given[0])]
        found = None if isinstance(given, numpy.ndarray) else listed(given)
        if found is not None:
            given = [self._in_unit(f"{what}[{i}]", x, coordinate) for i, x in enumerate(found)]
        return reals(what, given)

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


def _changed(document_: dict, positions: Mapping[str, Any] | None = None, velocities: Mapping[str, Any] | None = None,
             held_positions: Any = None, held_velocities: Any = None, t: Any = None, **options: Any) -> dict:
    start = document_.setdefault("start", {})

    def put(entry: str, given: Mapping[str, Any]) -> None:
        start.setdefault(entry, {}).update(
            {name: document(value, f"{entry}, {name}") for name, value in mapping(entry, given).items()})

    for entry, given, held in (("positions", positions, held_positions), ("velocities", velocities, held_velocities)):
        put(entry, {} if given is None else given)
        if held is not None:
            if isinstance(held, Mapping):
                put(entry, held)
            start["held_" + entry] = names(list(held) if isinstance(held, Mapping) else held, "held_" + entry)
    if t is not None:
        start["t"] = document(t, "t")
    document_.setdefault("simulation", {}).update({name: document(value, name) for name, value in options.items()})
    return document_


class FunctionModel(Mechanism):
    """A model whose parts are functions of Python: M(t, q) v' + G^T lambda = f(t, q, v), g(t, q) = 0, psi(t, q, v) = 0.

    coordinates: their names. mass_matrix(t, q) gives M (n x n), applied_force(t, q, v) f (n),
    constraint(t, q) g (num_constraints), velocity_constraint(t, q, v) psi (num_velocity_constraints).
    constraint_jacobian(t, q), if it is known, gives dg/dq (num_constraints x n), and is refused where
    differences at random points contradict it; all else comes from differences.
    None instead of an array declines a point: the integrator shortens its step. A function whose first result is None is
    refused, because its `return` is probably missing. Exceptions of the functions end a run and are raised. Such a model
    is slower than elements by orders of magnitude. It can be pickled if its functions can.
    """

    def __init__(self, coordinates: Iterable[str], mass_matrix: Callable, applied_force: Callable,
                 constraint: Callable | None = None, num_constraints: int = 0,
                 velocity_constraint: Callable | None = None, num_velocity_constraints: int = 0,
                 constraint_jacobian: Callable | None = None, **changes: Any):
        blocks = [{"name": name, "size": 1} for name in names(coordinates, "coordinates")]
        for what, given_ in (("mass_matrix", mass_matrix), ("applied_force", applied_force)):
            if not callable(given_):
                raise wrong(what, given_, "a function")
        for what, given_ in (("constraint", constraint), ("velocity_constraint", velocity_constraint),
                            ("constraint_jacobian", constraint_jacobian)):
            function(what, given_, "a function, or None")
        num_constraints = whole("num_constraints", num_constraints)
        num_velocity_constraints = whole("num_velocity_constraints", num_velocity_constraints)
        self._set(_changed({"blocks": blocks, "elements": []}, **changes),
                  ([block["name"] for block in blocks], num_constraints, num_velocity_constraints, mass_matrix,
                   applied_force, constraint, velocity_constraint, constraint_jacobian))

    def _set(self, given: dict, functions: tuple) -> FunctionModel:
        super().__init__(given)
        self._functions = functions
        self._core.use_functions(_core.Functions(*functions))
        return self

    def __reduce__(self):
        return _function_model, (json.loads(self._text), self._functions)

    def __repr__(self) -> str:
        return "<FunctionModel of functions: " + super().__repr__().partition("Mechanism ")[2]

    def replace(self, **changes: Any) -> FunctionModel:
        """Returns another model with other start values and options, see Mechanism.replace."""
        return _function_model(_changed(json.loads(self._text), **changes), self._functions)

    def _like(self, core: Any) -> FunctionModel:
        described = _core.parse(self._text, "FunctionModel")  # its coordinates without the functions
        return _function_model(json.loads(_core.text_with_start(described, core)), self._functions)


def _function_model(given: dict, functions: tuple) -> FunctionModel:
    return FunctionModel.__new__(FunctionModel)._set(given, functions)


class Simulation(_Page):
    """A run: t, and q, v, a, multipliers with a row for each time. run["arm.phi"] is one coordinate. It can be pickled.

    outcome: "finished", or why it ended; message: the explanation; doubts: reasons why a finished run may be wrong;
    report: all figures as an Answer, see figures()["Simulation"]. print(run) shows the report.
    """

    def __init__(self, mechanism: Mechanism, core: Any):
        self.mechanism = mechanism
        self._page = lambda title: core.page(mechanism._core, title)
        self._trajectory = core.trajectory
        self._write_csv = core.write_csv
        self.finished: bool = core.finished
        self.beyond_doubt: bool = core.beyond_doubt
        self.outcome: str = core.outcome
        self.message: str = core.message
        self.verdict: str = core.verdict
        self.doubts: list[Answer] = [Answer(doubt) for doubt in core.doubts]
        self.report = Answer(core.report)

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
    def events(self) -> list[Answer]:
        """Events in order of time: t, name, action of the handler, energies before and after."""
        return [Answer(event) for event in self.report["events"]]

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self.q[:, self._column(name)]

    def velocity(self, name: str) -> numpy.ndarray:
        """Returns the velocity of one coordinate."""
        return self.v[:, self._column(name)]

    def _column(self, name: str) -> int:
        columns = self.mechanism.position_names
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

    def joint_forces(self, joint: str | None = None) -> dict:
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
        return Answer(self.mechanism._core.reactions(self._trajectory, finite("t", t)))

    @_returns("PowerBalance")
    def power_balance(self, t: float) -> Answer:
        """Returns the power that every element stores, dissipates and supplies at one time [W]."""
        return Answer(self.mechanism._core.power_balance(self._trajectory, finite("t", t)))

    @_returns("EnergyBalance")
    def energy_balance(self) -> Answer:
        """Returns the energy that every element stored, dissipated and supplied over the run [J]; needs every step recorded."""
        return Answer(self.mechanism._core.energy_balance(self._trajectory))

    def write_csv(self, file: str | os.PathLike) -> None:
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


class Stepper:
    """A run that advances step by step or to given times. Inputs can be set and outputs read in between, and its state
    can be saved and restored.

    Inputs are elements whose law is sunlagrange.Input. `changes` as for Mechanism.replace; t_end is the latest time.
    checkpoint: the result of save(), from which the run continues with the events that it had.
    """

    def __init__(self, model: Mechanism | Assembly, events: Iterable[Event] = (),
                 record: str | int | Iterable[float] = "every_step", checkpoint: str = "", **changes: Any):
        if isinstance(model, Assembly):
            model = model.build(**changes)
        elif changes:
            model = model.replace(**changes)
        self.mechanism = model
        self._core = _core.Stepper(model._core, _events(events), _record(record), _text("checkpoint", checkpoint))

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

    def advance_to(self, t: float, observer: Callable[[Stepper], bool] | None = None) -> bool:
        """Steps to the time t and returns True if it was reached. observer(stepper) is called after every step; False ends
        the call there."""
        function("observer", observer)
        return self._core.advance_to(finite("t", t), None if observer is None else lambda: bool(observer(self)))

    def set(self, name: str, value: float) -> None:
        """Sets an input from now on."""
        self._core.set(_text("name", name), finite(f"input {name}", value))

    def read(self, name: str) -> float:
        """Returns an output at the newest state."""
        return self._core.read(_text("name", name))

    def state(self) -> Answer:
        """Returns t, q, v, a and multipliers of the newest state."""
        return Answer(self._core.state())

    def save(self) -> str:
        """Returns a checkpoint, a JSON document from which restore() and `checkpoint` continue the run."""
        return self._core.save()

    def restore(self, checkpoint: str) -> None:
        """Returns to a saved state of this run; later states are dropped."""
        self._core.restore(_text("checkpoint", checkpoint))

    def finish(self) -> Simulation:
        """Ends the run and returns it. The stepper cannot be used afterwards."""
        return Simulation(self.mechanism, self._core.finish())


def simulate(model: Mechanism | Assembly, events: Iterable[Event] = (),
             record: str | int | Iterable[float] = "every_step", progress: Callable[[float], None] | None = None,
             **changes: Any) -> Simulation:
    """Runs a Mechanism or an Assembly; `changes` as for Mechanism.replace, the others as for Mechanism.simulate."""
    if isinstance(model, Assembly):
        return model.build(**changes).simulate(events, record, progress)
    return model.simulate(events, record, progress, **changes)


def read(file: str | os.PathLike) -> Mechanism:
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


def formulations() -> list[Answer]:
    """Returns all formulations: name, summary, equations ("ode", "dae", "one_step"), unknowns, when, when_not."""
    return [Answer(entry) for entry in _core.formulations()]


def integrators() -> list[Answer]:
    """Returns all integrators: name, summary, equations, fixed_step."""
    return [Answer(entry) for entry in _core.integrators()]


def linear_solvers() -> list[Answer]:
    """Returns all linear solvers: name, summary, available."""
    return [Answer(entry) for entry in _core.linear_solvers()]


def elements() -> list[Answer]:
    """Returns all elements: name of the class, summary, kinds of its blocks (empty: any)."""
    return [Answer(entry) for entry in _core.elements()]


def schema() -> dict:
    """Returns the JSON schema of model files."""
    return json.loads(_core.schema())
