# SPDX-License-Identifier: BSD-3-Clause
"""Classes of results, made from the descriptions that the C++ library has of them: their fields are fixed."""

from __future__ import annotations

import html
import keyword
import os
from typing import Any, Callable, Iterable, Iterator, NamedTuple

import numpy

from . import _core
from ._errors import Error, UnknownAttribute, text as _text, unknown


class Field(NamedTuple):
    """One field of a result."""

    kind: str
    """text, number, integer, true or false, complex, numbers, complex numbers, matrix, list, table, object."""
    unit: str = ""
    meaning: str = ""
    inside: type | None = None
    """Class of an object, of the entries of a list, or of the columns of a table."""
    per_row: bool = False
    """True for an array with an entry for each row of a curve."""


class Answer(dict):
    """A result with fixed fields, which are attributes as well: found.q is found["q"]. print() shows it in short.

    dir() lists the fields, help() their meaning and units. None stands for a number that is not known.
    """

    _fields: dict[str, Field] = {}
    _rows: tuple[list[str], list[str]] = ([], [])  # names of the positions and of the constraint rows

    def __init__(self, found: Any = ()):
        super().__init__(found)

    def __missing__(self, name: str) -> Any:
        raise unknown("", name, self)

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise unknown("", name, self, UnknownAttribute)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise UnknownAttribute(f"{name}: the fields of a result do not change; dict(result) is a copy that does")
        super().__setattr__(name, value)

    def __dir__(self) -> Iterable[str]:
        own = {name for made in type(self).__mro__ if made.__module__.startswith("sunlagrange")
               for name in vars(made) if not name.startswith("_")}
        return sorted((own - set(dir(dict))) | {name for name in self if str(name).isidentifier()})

    def __reduce__(self) -> tuple:
        return _restored, (type(self).__name__, dict(self), self._rows)

    def __repr__(self) -> str:
        parts = [f"{name}={_brief(value)}" for name, value in self.items() if name not in ("text", "doubts")]
        return _shortened(f"{type(self).__name__}({', '.join(parts)})", 300)

    def __str__(self) -> str:
        text = self.get("text") or ""
        return text if text and self._fields.get("text") != _copied else "\n".join(_lines(self, text))

    def to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame: a row for each point of the curves or for each entry of the list of the result."""
        from . import _tables

        return _tables.of_answer(self)


def _frozen(self: Answer, *_: Any, **__: Any) -> Any:
    """Raises TypeError: the fields of a result do not change."""
    raise TypeError("the fields of a result do not change; dict(result) is a copy that does")


for _name in ("__setitem__", "__delitem__", "__ior__", "update", "setdefault", "pop", "popitem", "clear"):
    setattr(Answer, _name, _frozen)


class Record(Answer):
    """An entry of a list, e.g. of formulations() or of the cases of a study; its fields are attributes as well."""


class _Page:
    """A result with a page; `_page` makes it from a title."""

    _page: Callable[[str], str] | None = None

    def _title(self) -> str:
        return ""

    def html(self, title: str = "") -> str:
        """Returns the page, one file that opens in any browser without a network. title: default the name of the model."""
        if self._page is None:
            raise Error("a page is made before it is pickled: write_html() or html()")
        return self._page(_text("title", title) or self._title())

    def write_html(self, file: str | os.PathLike[str], title: str = "") -> None:
        """Writes that page to a file."""
        page = self.html(title)
        with open(file, "w", encoding="utf-8") as out:
            out.write(page)

    def _frame(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html())}" style="width:100%;height:48em;border:0"></iframe>'


class Analysis(_Page, Answer):
    """A result with a page of moving shapes, curves or places. Raises Error for the page if nothing was found."""

    _name = ""
    _measured: list = []  # of an identification

    def _title(self) -> str:
        return self._name

    def _repr_html_(self) -> str:
        try:
            return self._frame()
        except Error:
            return f"<pre>{html.escape(str(self))}</pre>"


# ---- text ------------------------------------------------------------------------------------------------------------


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[:width - 3] + "..."


def _number(value: Any) -> str:
    return f"{value:.6g}"


def _brief(value: Any) -> str:
    """Returns a value in a few characters."""
    if isinstance(value, numpy.ndarray):
        return "[" + ", ".join(map(_number, value)) + "]" if value.ndim == 1 and value.size <= 4 else \
            f"array({' x '.join(map(str, value.shape))})"
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return repr(value)
    if isinstance(value, (float, complex)):
        return _number(value)
    if isinstance(value, str):
        return repr(_shortened(value, 60))
    if isinstance(value, Answer):
        return type(value).__name__ + "(...)"
    if isinstance(value, (list, dict)):
        brackets = "[]" if isinstance(value, list) else "{}"
        return brackets if not value else f"{brackets[0]}{len(value)} entr{'y' if len(value) == 1 else 'ies'}{brackets[1]}"
    return repr(value)


def _words(value: Any) -> str:
    """Returns the value of a figure in a line of a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return ", ".join(value)
    if isinstance(value, Answer) and len(value) <= 6:
        return ", ".join(f"{name} {_brief(entry)}" for name, entry in value.items())
    return _brief(value)


def _lines(found: Answer, text: str) -> Iterator[str]:
    """Returns the lines of a result that has no text of its own: its sentence, figures, and the first entries of lists."""
    yield type(found).__name__ + (f": {found['status']}" if "status" in found else "")
    if text or found.get("message"):
        yield "  " + (text or found["message"])
    for name, value in found.items():
        if name in ("status", "message", "verdict", "text") or value is None or isinstance(value, (list, dict, str)) and not value:
            continue
        if isinstance(value, list) and isinstance(value[0], Answer):
            yield f"  {name}: {len(value)}"
            shown = [key for key, entry in value[0].items() if not isinstance(entry, (list, dict)) and key != "text"]
            for entry in value[:8]:
                yield _shortened("    " + ", ".join(f"{key} {_brief(entry[key])}" for key in shown), 118)
            if len(value) > 8:
                yield f"    ... {len(value) - 8} more"
            continue
        unit = found._fields.get(name, _copied).unit
        known = isinstance(value, (float, numpy.ndarray)) and unit not in ("", "1") and not unit.startswith("unit of")
        yield _shortened(f"  {name}: {_words(value)}" + (f" {unit}" if known else ""), 118)


# ---- curves ----------------------------------------------------------------------------------------------------------


def _plot_points(*fields: str) -> Callable:
    def plot(self: Answer, ax: Any = None) -> Any:
        from . import _tables

        return _tables.plot_points(self, fields, ax)

    plot.__doc__ = f"Draws {', '.join(fields)} with matplotlib and returns the axes. ax: axes to draw into."
    return plot


def _plot_kinematics(self: Answer, ax: Any = None) -> Any:
    """Draws the positions over the driven coordinate with matplotlib, all branches, and returns the axes. ax: axes to draw into."""
    from . import _tables

    curves = [("", label, branch["s"], values) for branch in self["branches"]
              for name, label, values in _tables._columns(branch) if name == "q"]
    return _tables.panels(curves, self["coordinate"], ax)


def _plot_modes(self: Answer, ax: Any = None) -> Any:
    """Draws the eigenvalues with matplotlib and returns the axes. ax: axes to draw into."""
    from . import _tables

    mu = numpy.array([mode["eigenvalue"] for mode in self["modes"]])
    return _tables.scatter(mu.real, mu.imag, ("Re [1/s]", "Im [1/s]"), ax)


def _plot_workspace(self: Answer, ax: Any = None) -> Any:
    """Draws the first two coordinates of the places that are reached with matplotlib, coloured by manipulability, and
    returns the axes. ax: axes to draw into."""
    from . import _tables

    there = numpy.array(self["reach"]) == "reached"
    x, y = self["places"][there, 0], self["places"][there, 1]
    axis = _tables.scatter(x, y, tuple(self["point"][:2]), ax, c=self["manipulability"][there])
    axis.set_aspect("equal")
    return axis


def _plot_fits(self: Answer, ax: Any = None) -> Any:
    """Draws measured values and those of the model over time with matplotlib, and returns the axes. ax: axes to draw into."""
    from . import _tables

    if not self._measured:
        raise Error("plot(): the measurements stay behind when a result is pickled; draw it before")
    curves = [(fit["output"], f"{fit['output']}, {word}", t, values) for fit, (_, t, measured, _) in zip(self["fits"], self._measured)
              for word, values in (("measured", measured), ("model", fit["model"]))]
    return _tables.panels(curves, "t [s]", ax)


_plots = {"Kinematics": _plot_kinematics, "Modes": _plot_modes, "MechanismWorkspace": _plot_workspace,
          "DriveForces": _plot_points("drive"), "Sensitivities": _plot_points("dq"), "Identification": _plot_fits}


# ---- classes ---------------------------------------------------------------------------------------------------------

_copied = Field("text", "", "the verdict or the message")
_with_pages = ("Modes", "Equilibrium", "Kinematics", "DriveForces", "MechanismWorkspace", "Sensitivities", "Gradient",
               "Identification")
_class_names = {"Simulation": "Report", "MechanismWorkspace": "Workspace"}
_meanings = {
    "Simulation": "The report of a run: what was done, and how well the constraints hold.",
    "ConsistentState": "The state on the constraints that is nearest to the start.",
    "RedundancyReport": "Degrees of freedom, rank and redundant rows.",
    "GainAdvice": "What the gains do: rates, margin, cost and warnings.",
    "SystemQuantities": "The quantities of the equations of motion at one point.",
    "Reactions": "The forces of the constraints at one time.",
    "PowerBalance": "The power that every element stores, dissipates and supplies.",
    "EnergyBalance": "The energy that every element stored, dissipated and supplied over a run.",
    "Linearisation": "The motion linearised about a state.",
    "Modes": "Eigenvalues and shapes of the linearised motion.",
    "StateSpace": "The linearisation with inputs and outputs.",
    "Equilibrium": "A state at rest.",
    "Kinematics": "All positions as functions of a driven coordinate.",
    "InverseDynamics": "The forces of drives that produce a motion at one time.",
    "DriveForces": "The drives that produce a motion.",
    "MechanismWorkspace": "The places of a point while driven coordinates go over their ranges.",
    "Sensitivities": "The derivatives of a motion by parameters and start values.",
    "Gradient": "One number of a motion and its gradient.",
    "Identification": "Parameters and start values estimated from measurements.",
    "Certificate": "A proof that the constraint error of a run stays small.",
}
_gains = ("K_D", "K_P", "K_N", "Lambda", "advice")  # a number, or one for each row, or a matrix
_keys = {("RedundancyReport.dependent", "relation"): "constraint", ("RedundancyReport.lost", "shares"): "constraint",
         ("PowerBalance", "elements"): "name", ("EnergyBalance", "elements"): "name",
         ("PowerBalance.elements", "variables"): "name"}  # lists that are dictionaries by this field of their entries
_more_fields = {"Reactions": {name: Field("by row", "", f"multipliers that are {meaning}, by the names of the rows")
                              for name, meaning in (("ideal", "those of the motion on the constraints"),
                                                    ("stabilizing", "added by gains"))},
                "Identification": {"text": Field("text", "", "estimates with deviations, misfit and what was not tested"),
                                   "mechanism": Field("mechanism", "", "the mechanism with the estimates")},
                "Identification.fits": {"model": Field("numbers", "", "values of the model at the times of the output")},
                "Simulation": {"text": Field("text", "", "the report in words")}}
classes: dict[str, type] = {}
_shapes: dict[tuple, type] = {}


def name_in_python(name: str) -> str:
    """The points of a curve are arrays of the result itself; lambda is a keyword of Python."""
    parts = name.replace("points[].", "").split(".")
    return ".".join({"lambda": "multipliers", "dlambda": "dmultipliers"}.get(part, part) for part in parts)


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _singular(name: str) -> str:
    word = _camel(name)
    for end, short in (("ies", "y"), ("ches", "ch"), ("sses", "ss"), ("s", "")):
        if word.endswith(end) and not word.endswith("ss") and len(word) > 3:
            return word[:-len(end)] + short
    return word


def _fields_of(figures: list[dict], prefix: str, where: str, per_row: bool = False) -> dict[str, Field]:
    """Returns the fields of one level of a description.

    prefix: that of the names of the level; where: names of the result and of the parts around it; per_row: inside a table.
    """
    root, last = where.split(".")[0], where.split(".")[-1]
    document = root == "Simulation"  # with the names and lists of JSON
    names = {} if document else {"lambda": "multipliers", "dlambda": "dmultipliers"}
    if root == "MechanismWorkspace":
        names["place"] = "places"
    fields: dict[str, Field] = {}
    for figure in figures:
        name, kind = figure["name"][len(prefix):], figure["kind"]
        if not figure["name"].startswith(prefix) or "." in name or not name:
            continue
        if kind == "table" and name == "points":
            fields.update(_fields_of(figures, f"{prefix}points[].", where, per_row=True))
            continue
        if document:
            kind = {"numbers": "list of numbers", "matrix": "list of lists", "table": "list"}.get(kind, kind)
        if last == "asked_gains" or name == "value" and last in _gains:
            kind = "number or numbers"
        inside: type | None = None
        if kind in ("list", "table", "object"):
            below = _fields_of(figures, f"{prefix}{name}" + ("." if kind == "object" else "[]."), f"{where}.{name}", kind == "table")
            if (where, name) in _keys:
                kind = "list by name"
                del below[_keys[where, name]]
            if kind == "list by name" and len(below) == 1:  # an entry is its only figure
                inside = float
            elif below:
                inside = _class(_camel(name) if kind in ("table", "object") else _singular(name), below, where)
        fields[names.get(name, name)] = Field(kind, figure["unit"], figure["meaning"], inside, per_row)
    if not per_row:
        if ("status" in fields or "verdict" in fields) and "text" not in fields and not document:
            fields["text"] = _copied
        fields.update(_more_fields.get(where, {}))
    return fields


def _property(name: str, field: Field) -> property:
    unit = f" [{field.unit}]" if field.unit not in ("", "1") else ""
    return property(lambda self: self[name], doc=f"{field.meaning}{unit}")


def _class(name: str, fields: dict[str, Field], where: str, base: type = Answer, meaning: str = "",
           plot: Callable | None = None) -> type:
    """Returns the class of these fields; equal fields have one class."""
    shape = (base, *((field, entry.kind, entry.unit, entry.inside) for field, entry in fields.items()))
    if shape in _shapes:
        return _shapes[shape]
    if name in classes:
        name = where.split(".")[-1].capitalize() + name
    while name in classes:
        name += "_"
    listed = [f"{field}: {entry.meaning}" + (f" [{entry.unit}]" if entry.unit not in ("", "1") else "")
              for field, entry in fields.items()]
    properties = {field: _property(field, entry) for field, entry in fields.items()
                  if field.isidentifier() and not keyword.iskeyword(field)}
    made = type(name, (base,), {"__doc__": "\n".join([meaning or f"A part of a result: {name}.", "", *listed]),
                                "__module__": "sunlagrange.results", "_fields": fields, **properties,
                                **({"plot": plot} if plot is not None else {})})
    classes[name] = _shapes[shape] = made
    return made


def _collect() -> None:
    described = _core.figures()
    del described["JointForce"]  # a tuple of its own
    for result in (*(name for name in described if name != "Simulation"), "Simulation"):  # which has parts of others
        name = _class_names.get(result, result)
        base = Analysis if result in _with_pages else Answer
        by_result[result] = _class(name, _fields_of(described[result], "", result), result, base, _meanings[result],
                                   _plots.get(result))


by_result: dict[str, type] = {}


def answer(found: Any, made: type | None = None, rows: tuple[list[str], list[str]] = ([], [])) -> Any:
    """Returns dictionaries as results, at every depth; made: their class, rows: names of positions and constraint rows."""
    if isinstance(found, dict):
        fields = made._fields if made is not None else {}
        parts = {}
        for name, value in found.items():
            field = fields.get(name)
            inside = field.inside if field is not None else None
            if isinstance(value, dict) and field is not None and field.kind in ("list", "list by name", "by row"):
                parts[name] = {key: answer(entry, inside, rows) for key, entry in value.items()}
            else:
                parts[name] = answer(value, inside, rows)
        result = (made or Record)(parts)
        result._rows = rows
        return result
    return [answer(entry, made, rows) for entry in found] if isinstance(found, list) else found


def analysis(made: type, found: dict, page: Callable[[str], str] | None, title: str, rows: tuple) -> Any:
    """Returns a result with its page."""
    result = answer(found, made, rows)
    result._page, result._name = page, title
    return result


def _restored(name: str, found: dict, rows: tuple) -> Answer:
    made = {"Answer": Answer, "Analysis": Analysis, "Record": Record}.get(name) or classes[name]
    result = made(found)  # the page stays behind
    result._rows = rows
    return result


_collect()
