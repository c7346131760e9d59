"""Models, their runs, and what can be asked of them."""

import html
import json

import numpy

from . import _core
from ._description import Part


class Block(str):
    """A block of coordinates, or a part of one: arm.centre, arm.phi, q[0]; the name that model files use."""

    @property
    def centre(self):
        """The point of a body."""
        return Block(self + ".centre")

    def __getattr__(self, coordinate):
        if coordinate.startswith("_"):
            raise AttributeError(coordinate)
        return Block(f"{self}.{coordinate}")

    def __getitem__(self, i):
        return Block(f"{self}[{i}]")


class Assembly:
    """Builder of a mechanism: named blocks of coordinates and elements that act on them."""

    def __init__(self):
        self._blocks, self._elements = [], []

    def add_coordinates(self, name, kind, natural_scale=None):
        """A block of a kind ("planar_body", "rotation", ...), or of so many coordinates without a meaning."""
        block = {"name": name, "size": kind} if isinstance(kind, int) else {"name": name, "kind": kind}
        if natural_scale is not None:
            block["natural_scale"] = natural_scale
        self._blocks.append(block)
        return Block(name)

    def add(self, name, element, *blocks):
        """An element on blocks; what is wrong with it is said by build()."""
        if not isinstance(element, Part):
            raise TypeError(f"{name}: {element!r} is no element, e.g. sunlagrange.PointMass(m=1.0)")
        self._elements.append({"name": name, "type": type(element).__name__, "blocks": [str(b) for b in blocks],
                               "parameters": element.document()})

    def build(self, **said):
        """The mechanism; `said` as for Mechanism.replace. Raises Error naming element and field."""
        return Mechanism(json.dumps({"blocks": self._blocks, "elements": self._elements})).replace(**said)


class Mechanism:
    """A model with its start and the options of its runs: a model file. Immutable, can be pickled."""

    def __init__(self, text, source="mechanism"):
        self._text = text
        self._core = _core.parse(text, source)

    def __reduce__(self):
        return Mechanism, (self._text,)

    @property
    def text(self):
        """As a model file, everything written out."""
        return self._core.text

    @property
    def position_names(self):
        return self._core.position_names

    @property
    def constraint_names(self):
        return self._core.constraint_names

    def replace(self, start=None, velocities=None, held=None, held_velocities=None, t_start=None, **options):
        """Another one, with these start values (by name; held ones are kept) and options (t_end, formulation, ...)."""
        document = json.loads(self._text)
        values = document.setdefault("start", {})
        for entry, given in (("positions", start), ("velocities", velocities)):
            if given:
                values.setdefault(entry, {}).update({name: float(x) for name, x in given.items()})
        for entry, given in (("held_positions", held), ("held_velocities", held_velocities), ("t", t_start)):
            if given is not None:
                values[entry] = given
        document.setdefault("simulation", {}).update(options)
        return Mechanism(json.dumps(document))

    def simulate(self, events=None, stop=None):
        """Runs it. events, stop: {name: function of (t, q, v)}; zeros of it are found, those of `stop` end the run."""
        wanted = [_core.Event(name, function, False) for name, function in (events or {}).items()]
        wanted += [_core.Event(name, function, True) for name, function in (stop or {}).items()]
        return Simulation(self, self._core.run(wanted))

    def consistent_state(self):
        """The state on the constraints that is nearest to the start: a dict with t, q, v, a, multipliers, ..."""
        return self._core.consistent_state()

    def redundancy(self):
        """Freedoms, rank and redundant rows at the start, and an account of them in words ("text")."""
        return self._core.redundancy()

    def advice(self):
        """What is advised about the gains, with the reasons: {name: text}."""
        return dict(self._core.advice())


class Simulation:
    """A run: times t, and q, v, a, multipliers with a row for each; run["arm.phi"] is one coordinate. Can be pickled."""

    _kept = ("t", "q", "v", "a", "multipliers", "finished", "outcome", "message", "doubts", "report", "events",
             "settings")

    def __init__(self, mechanism, core):
        self.mechanism = mechanism
        self._core = core
        for name in self._kept:
            setattr(self, name, getattr(core, "lambda" if name == "multipliers" else name))

    def __getstate__(self):
        return {"mechanism": self.mechanism, **{name: getattr(self, name) for name in self._kept}}

    def __setstate__(self, state):
        self.__dict__.update(state, _core=None)

    def __getitem__(self, name):
        return self.q[:, self.mechanism.position_names.index(name)]

    def velocity(self, name):
        """Of one coordinate."""
        return self.v[:, self.mechanism.position_names.index(name)]

    def forces(self, constraint):
        """Physical force of a constraint, or of all rows of an element, on the coordinates, a row for each time."""
        return self.mechanism._core.forces(self._core_alive(), constraint)

    def position_at(self, t):
        """Dense output: q at one time, or a row for each of several."""
        if numpy.ndim(t) == 0:
            return self._core_alive().position_at(t)
        return numpy.array([self._core_alive().position_at(x) for x in t])

    def _core_alive(self):
        if self._core is None:
            raise RuntimeError("of a pickled run the recorded states are kept; ask for dense output before")
        return self._core

    def _repr_html_(self):
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(asked)}</td><td>{html.escape(used)}</td></tr>"
                       for name, asked, used in self.settings)
        doubts = f"<p><b>{html.escape(self.doubts)}</b></p>" if self.doubts else ""
        return (f"<p>{html.escape(self.outcome)} {html.escape(self.message)}</p>{doubts}"
                f"<table><tr><th></th><th>asked</th><th>used</th></tr>{rows}</table>")

    def __repr__(self):
        return f"<Simulation: {self.outcome}, {len(self.t)} states>"


def simulate(model, events=None, stop=None, **said):
    """Runs a Mechanism or an Assembly; `said` as for Mechanism.replace."""
    mechanism = model.build(**said) if isinstance(model, Assembly) else model.replace(**said)
    return mechanism.simulate(events, stop)


def read(file):
    """The mechanism of a model file. Raises Error naming line, element and field."""
    with open(file, encoding="utf-8") as text:
        return Mechanism(text.read(), str(file))


def schema():
    """JSON schema of model files."""
    return json.loads(_core.schema())
