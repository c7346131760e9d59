# SPDX-License-Identifier: BSD-3-Clause
"""The start values and the options of runs as keyword arguments, made from the schema of model files."""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable

from . import _core


class _Unchanged:
    """The value of an argument that is not given."""

    def __repr__(self) -> str:
        return "unchanged"


unchanged = _Unchanged()


def _words(names: list[str]) -> str:
    return f"Literal[{', '.join(json.dumps(name) for name in names)}]"


def _annotation(name: str, given: dict) -> str:
    """Returns the type of an option as an annotation."""
    registered = {"formulation": _core.formulations, "integrator": _core.integrators, "linear_solver": _core.linear_solvers}
    if name in registered:
        return _words(["automatic", *(entry["name"] for entry in registered[name]())])
    if "enum" in given:
        return _words(given["enum"])
    return {"integer": "int", "boolean": "bool", "string": "str", "object": "Mapping[str, Any]"}.get(given.get("type"), "Number")


_described = json.loads(_core.schema())["properties"]["simulation"]["properties"]
start = {"positions": ("Mapping[str, Number | Pose]", "guesses that are corrected so that the constraints hold, by coordinate; "
                       "of a body also sunlagrange.at(position, rotation)"),
         "velocities": ("Mapping[str, Number | Motion]", "guesses of the rates; of a body also "
                        "sunlagrange.moving(velocity, angular_velocity)"),
         "held_positions": ("Mapping[str, Number | Pose] | Iterable[str] | str", "positions that are kept: names of them, or "
                            "{name: value}"),
         "held_velocities": ("Mapping[str, Number | Motion] | Iterable[str] | str", "velocities that are kept"),
         "t": ("Number", "time of the start [s]")}
options = {name: (_annotation(name, given), given["description"]
                  + (f"; default {given['default']}" if "default" in given else "")) for name, given in _described.items()}
changes = {**start, **options}


def lines() -> list[str]:
    """Returns a line for each argument, for docstrings."""
    return [f"{name}: {meaning}" for name, (_, meaning) in changes.items()]


def with_changes(function: Callable) -> Callable:
    """Decorator of functions with **changes: they show the start values and options as keyword arguments of their own."""
    signature = inspect.signature(function)
    kept = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=unchanged, annotation=annotation)
             for name, (annotation, _) in changes.items()]

    function.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Start values and options:", "", *lines()])
    return function
