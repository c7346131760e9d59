# SPDX-License-Identifier: BSD-3-Clause
"""Classes of elements, ends and laws, made from the schema of model files, i.e. from the one description in C++."""

import inspect
import json
import keyword

from . import _core
from ._errors import UnknownAttribute, WrongType, did_you_mean, listed, real, unknown, wrong
from ._functions import Function
from ._poses import matrix, place


class Part:
    """An element, an end or a law with its parameters, which are attributes; equal to others that say the same."""

    _defaults = {}
    _by_place = 0  # number of parameters that may be given without their names

    def __init__(self, *values, **parameters):
        kind, names = type(self).__name__, list(self._defaults)
        if len(values) > self._by_place:
            raise WrongType(f"{kind}: {len(values)} values without a name, but only {self._by_place} parameters may be given "
                            f"without; it has: {', '.join(names)}")
        named = {name.rstrip("_"): value for name, value in parameters.items()}
        wrong = [name for name in named if name not in names]
        if wrong:
            raise WrongType(f"{kind} has no parameter {wrong[0]!r}{did_you_mean(wrong[0], names)}; it has: {', '.join(names)}")
        twice = [name for name in names[:len(values)] if name in named]
        if twice:
            raise WrongType(f"{kind}: {twice[0]} is given twice, by its place and by its name")
        self.parameters = {**dict(zip(names, values)), **named}

    def document(self, functions=None, where=""):
        """As it stands in a model file, without its type. functions: a dict that gets the functions of Python among the
        laws, by names that begin with `where`; None: they are refused."""
        kind = type(self).__name__
        found = {}
        for name, value in self.parameters.items():
            if isinstance(value, (int, float)) and name in _parts(self._defaults):
                example = _parts(self._defaults)[name].format(value)
                raise WrongType(f"{kind}: {name}={value!r} is a number, but a law or an end is wanted, "
                                f"e.g. {name}=sunlagrange.{example}")
            allowed = functions if "Function" in _types(self._defaults[name]) else None
            found[name] = document(value, f"{kind}: {name}", allowed, f"{where}.{name}")
        return found

    def __getattr__(self, name):
        parameter = name.rstrip("_")
        if name.startswith("_") or parameter not in self._defaults:
            raise unknown(f"parameter of {type(self).__name__}", name, self._defaults, UnknownAttribute)
        return self.parameters.get(parameter, self._defaults[parameter].get("default"))

    def __dir__(self):
        return [*super().__dir__(), *map(argument, self._defaults)]

    def __eq__(self, other):
        return type(self) is type(other) and self.parameters == other.parameters

    def __repr__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({given})"


class _Frame(Part):
    """An end with a point and axes."""

    @classmethod
    def at(cls, position, rotation=0.0, body=None):
        """The frame at a place with a rotation; the joint axis is its z axis.

        position: [m]; rotation: as in sunlagrange.at(). Both are in axes of the body, from its centre of mass, and on the
        ground in ground axes. body: the pose of the body at the start, sunlagrange.at(...); then position and rotation are
        in ground axes, so that both ends of a joint can be given at one place.
        """
        point, A = place(position), matrix(rotation)
        if body is not None:
            point, A = body.to_body(point), body.rotation.T @ A
        return cls(point=point.tolist(), axis=A[:, 2].tolist(), x=A[:, 0].tolist())


def document(value, what="value", functions=None, where=""):
    """A value as it stands in a model file; (50, "cm") is a number with a unit, ([1, 2], "kN") a list
    of them. Raises WrongType about `what`.

    functions: a dict that gets functions of Python by the name `where`; None: they are refused.
    """
    if isinstance(value, Part):
        return {"type": type(value).__name__, **value.document(functions, where)}
    if isinstance(value, type) and issubclass(value, Part):
        return {"type": value.__name__}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        if listed(value[0]) is not None:
            return [document((x, value[1]), f"{what}[{i}]") for i, x in enumerate(listed(value[0]))]
        return {"value": real(what, value[0]), "unit": value[1]}
    if callable(value) or isinstance(value, Function):
        if functions is None:
            raise WrongType(f"{what}: cannot be a function; laws of elements can, e.g. "
                            "AppliedTorque(law=function)")
        functions[where] = value if isinstance(value, Function) else Function(value)
        return {"type": "Function", "name": where}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [document(entry, f"{what}[{i}]") for i, entry in enumerate(value)]
    if isinstance(value, dict):
        return {name: document(entry, f"{what}, {name}") for name, entry in value.items()}
    if isinstance(value, (bytes, bytearray)):
        raise wrong(what, value, "a text or a number, not bytes")
    return value if value is None or isinstance(value, (bool, int, float, str)) else real(what, value)


def _parts(properties):
    """{name of a parameter that is a part, e.g. a law: what to write for a number, or its first type}."""
    choices = {name: [kind for kind in _types(given) if kind != "Function"] for name, given in properties.items()}
    return {name: "Constant(value={})" if "Constant" in types else types[0] + "()"
            for name, types in choices.items() if types}


def argument(parameter):
    """The name of a parameter as a keyword argument: from_ for from."""
    return parameter + "_" if keyword.iskeyword(parameter) else parameter


def _class(name, summary, properties):
    signature = []
    lines = [f"Blocks: {', '.join(kinds_of_blocks[name])}", ""] if kinds_of_blocks.get(name) else []
    for parameter, given in properties.items():
        default = given.get("default", inspect.Parameter.empty)
        shown = "" if default is inspect.Parameter.empty else f" (default {default})"
        bound = next((ref["$ref"].rsplit("/", 1)[1] for ref in given.get("allOf", []) if "$ref" in ref), "number")
        choices = [choice for choice in _types(given)]
        lines.append(f"{argument(parameter)}: {given['description']}{shown}"
                     + (f", {bound.replace('_', ' ')}" if bound != "number" else "")
                     + (f"; one of {', '.join(choices)}" if choices else ""))
        signature.append(inspect.Parameter(argument(parameter), inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
    signature = _named_from_the_first_gap(signature)
    return type(name, (_Frame if {"point", "axis", "x"} == set(properties) else Part,), {
        "__doc__": "\n".join([summary, "", *lines]) if summary else "\n".join(lines),
        "__signature__": inspect.Signature(signature),
        "_by_place": sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in signature),
        "__module__": "sunlagrange",
        "_defaults": properties,
    })


def _named_from_the_first_gap(parameters):
    """Parameters from the first one on that has no default behind one that has are given by their names."""
    empty = inspect.Parameter.empty
    gap = next((k for k, p in enumerate(parameters) if p.default is empty and any(q.default is not empty for q in parameters[:k])),
               len(parameters))
    return [p.replace(kind=p.KEYWORD_ONLY) if k >= gap else p for k, p in enumerate(parameters)]


kinds_of_blocks = {entry["name"]: entry["blocks"] for entry in _core.elements()}


def _types(given):
    for choice in given.get("anyOf", []):
        if "$ref" in choice:
            yield choice["$ref"].rsplit("/", 1)[1]
        elif "anyOf" in choice:
            yield choice["anyOf"][1]["const"]


def _collect():
    schema = json.loads(_core.schema())
    made = {}

    def add_part(given):
        properties = dict(given["anyOf"][0]["properties"])
        name = properties.pop("type")["const"]
        made.setdefault(name, _class(name, "", properties))

    for name, given in schema["definitions"].items():
        if name not in ("number", "positive", "not_negative", "Function"):  # which is a class of its own
            add_part(given)
    for given in schema["properties"]["elements"]["items"]["oneOf"]:
        properties = given["properties"]["parameters"]["properties"]
        for parameter in properties.values():
            for choice in parameter.get("anyOf", []):
                if "anyOf" in choice:
                    add_part(choice)
        name = given["properties"]["type"]["const"]
        made[name] = _class(name, given["description"], properties)
    return made


classes = _collect()
