# SPDX-License-Identifier: BSD-3-Clause
"""Results as tables of pandas and as curves of matplotlib, where these packages are installed."""

from __future__ import annotations

import importlib
from typing import Any, Iterator

import numpy

from ._errors import Error


def _package(name: str, method: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise Error(f"{method} needs {package}, which is not installed; install it (Debian: python3-{package}), or take "
                    "the arrays of the result") from None


def _labels(name: str, unit: str, columns: int, rows: tuple[list[str], list[str]]) -> list[str]:
    """Returns the names of the columns of an array with one row for each point."""
    positions, constraints = rows
    marks = {"q": "{}", "v": "{}'", "a": "{}''", "multipliers": "lambda:{}"}
    of = positions if unit.startswith(("unit of q", "unit of v", "natural scale")) else \
        constraints if unit.startswith("unit of lambda") else []
    if columns == len(of):
        return [marks.get(name, name + " {}").format(entry) for entry in of]
    return [f"{name}[{i}]" for i in range(columns)]


def _columns(found: Any) -> Iterator[tuple[str, str, numpy.ndarray]]:
    """Returns (field, name of the column, values) of all arrays of a result that have an entry for each point."""
    parameters = [p["name"] for p in found.get("parameters", ())]
    for name, field in found._fields.items():
        if not field.per_row or name not in found:
            continue
        array = numpy.asarray(found[name])
        if array.ndim == 1:
            yield name, name, array
        elif array.ndim == 2:
            for i, label in enumerate(_labels(name, field.unit, array.shape[1], found._rows)):
                yield name, label, array[:, i]
        else:
            base = name[1:] if name[:1] == "d" else name
            for i, label in enumerate(_labels(base, _unit_of(base), array.shape[1], found._rows)):
                for j, parameter in enumerate(parameters):
                    yield name, f"d {label} / d {parameter}", array[:, i, j]


def _unit_of(name: str) -> str:
    return {"q": "unit of q", "v": "unit of v", "a": "unit of v / s", "multipliers": "unit of lambda"}.get(name, "")


def _index(found: Any) -> str | None:
    return next((name for name in ("t", "s") if name in found and numpy.ndim(found[name]) == 1), None)


def _points(found: Any, pandas: Any) -> Any:
    index = _index(found)
    table = pandas.DataFrame({label: values for name, label, values in _columns(found) if name != index})
    if index is not None:
        table.index = pandas.Index(found[index], name=index)
    return table


def of_answer(found: Any) -> Any:
    """Returns the points of the curves, else the entries of the list, else one row of the figures."""
    pandas = _package("pandas", "to_dataframe()")
    if any(field.per_row for field in found._fields.values()):
        return _points(found, pandas)
    for name, field in found._fields.items():
        if field.kind not in ("list", "list by name") or name in ("doubts", "warnings", "parameters", "failures") or not found.get(name):
            continue
        entries = found[name]
        if isinstance(entries, dict):
            if isinstance(next(iter(entries.values())), dict):
                return pandas.DataFrame.from_dict({key: _scalars(entry) for key, entry in entries.items()}, orient="index")
            continue
        if not isinstance(entries[0], dict):
            continue
        if any(inner.per_row for inner in entries[0]._fields.values()):
            return pandas.concat([_points(entry, pandas) for entry in entries], keys=range(len(entries)),
                                 names=[name, _index(entries[0])])
        return pandas.DataFrame([_scalars(entry) for entry in entries])
    parameters = found.get("parameters")
    if parameters:
        one_each = {name: value for name, value in found.items()
                    if isinstance(value, numpy.ndarray) and value.shape == (len(parameters),)}
        return pandas.DataFrame(one_each, index=pandas.Index([p["name"] for p in parameters], name="parameter"))
    return pandas.DataFrame([_scalars(found)])


def _scalars(found: Any) -> dict:
    return {name: value for name, value in found.items() if not isinstance(value, (list, dict, numpy.ndarray))}


# ---- curves ----------------------------------------------------------------------------------------------------------


def panels(curves: list[tuple[str, str, Any, Any]], x_label: str, ax: Any = None) -> Any:
    """Draws curves (unit or field, label, x, y), one panel for each of the units, and returns the axes.

    ax: axes to draw all of them into.
    """
    pyplot = _package("matplotlib.pyplot", "plot()")
    if not curves:
        raise Error("plot(): there is nothing to draw; the result has no points")
    units = list(dict.fromkeys(unit for unit, *_ in curves))
    if ax is None:
        _, axes = pyplot.subplots(len(units), 1, sharex=True, squeeze=False, layout="constrained")
        axes = axes[:, 0]
    else:
        axes = numpy.array([ax] * len(units))
    for unit, label, x, y in curves:
        axes[units.index(unit)].plot(x, y, label=label)
    for axis, unit in zip(axes, units):
        axis.set_ylabel(unit)
        axis.legend()
    axes[-1].set_xlabel(x_label)
    return axes


def scatter(x: Any, y: Any, labels: tuple[str, str], ax: Any = None, **how: Any) -> Any:
    """Draws points and returns the axes."""
    pyplot = _package("matplotlib.pyplot", "plot()")
    axis = pyplot.subplots(layout="constrained")[1] if ax is None else ax
    axis.scatter(x, y, **how)
    axis.set_xlabel(labels[0])
    axis.set_ylabel(labels[1])
    return axis


def plot_points(found: Any, fields: tuple[str, ...], ax: Any = None) -> Any:
    """Draws these fields of a result over its index."""
    index = _index(found)
    curves = [(name, label, found[index], values) for name, label, values in _columns(found) if name in fields]
    return panels(curves, index + (" [s]" if index == "t" else ""), ax)
