# SPDX-License-Identifier: BSD-3-Clause
"""Writes __init__.pyi and results.pyi, for editors and type checkers: `python3 -m sunlagrange._stubs FOLDER`."""

import inspect
import os
import re
import sys
import textwrap

import sunlagrange

from . import _results
from ._description import _types, argument, classes

HEAD = '''import ctypes
import os
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, NamedTuple

import numpy

from . import results as results

__version__: str

Number = float | tuple[float, str] | dict[str, float | str]
"""In the unit of the description, or with its own: (50, "cm")."""
Law = Part | type[Part] | Function | Callable[..., Any]
"""A law of the library, or a function of Python."""
Address = int | ctypes.c_void_p
"""Of memory, of a context or of a vector of SUNDIALS."""
Recorded = Literal["every_step", "ends_only"] | int | Iterable[float]
"""What is recorded: all steps, the ends, every k-th step, or the states at these times [s]."""
'''

HEAD_OF_RESULTS = '''from typing import Any

import numpy

from . import Analysis, Answer, Mechanism
'''

_shown = ("__init__", "__getitem__", "__len__", "__iter__", "__contains__")
_bases = {"_Page": "", "Event": ""}


def _indented(text, by=4):
    return textwrap.indent(text, " " * by)


def _doc(of):
    text = (inspect.getdoc(of) or "").replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}{chr(10) if text.endswith(chr(34)) else ""}"""\n' if text else ""


def _annotation(annotation):
    if annotation is inspect.Parameter.empty:
        return "Any"
    if isinstance(annotation, str):
        return annotation
    return getattr(annotation, "__forward_arg__", None) or annotation.__name__


def _parameter(p):
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    typed = p.name if p.name in ("self", "cls") else f"{stars}{p.name}: {_annotation(p.annotation)}"
    return typed + (" = ..." if p.default is not p.empty else "")


def _arguments(parameters):
    parts, named = [], False
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            named = True
        elif p.kind is p.KEYWORD_ONLY and not named:
            parts.append("*")
            named = True
        parts.append(_parameter(p))
    return ", ".join(parts)


def function(name, made):
    signature = inspect.signature(made)
    returned = "None" if name == "__init__" else _annotation(signature.return_annotation)
    body = _indented(_doc(made)) if name != "__init__" or made.__doc__ else ""
    head = f"def {name}({_arguments(signature.parameters.values())}) -> {returned}:"
    return f"{head}\n{body}    ...\n" if body else f"{head} ...\n"


def _member(name, made):
    if isinstance(made, property):
        returned = _annotation(inspect.signature(made.fget).return_annotation)
        return f"@property\ndef {name}(self) -> {returned}:\n{_indented(_doc(made))}    ...\n"
    if isinstance(made, (staticmethod, classmethod)):
        return f"@{type(made).__name__}\n" + function(name, made.__func__)
    return function(name, made) if inspect.isfunction(made) else ""


def plain_class(name, made):
    """A class that is written in Python."""
    if issubclass(made, tuple):
        fields = "".join(f"{field}: {_annotation(annotation)}{' = ...' if field in made._field_defaults else ''}\n"
                         for field, annotation in made.__annotations__.items())
        return f"class {name}(NamedTuple):\n{_indented(_doc(made) + fields)}"
    bases = {"Answer": "dict[str, Any]"}.get(name) or ", ".join(
        b for b in (_bases.get(base.__name__, base.__name__) for base in made.__bases__) if b and b != "object")
    own = dict(vars(made))
    for base in made.__bases__:  # what a private class gives
        if base.__name__ == "_Page":
            own = {**vars(base), **own}
    attributes = "".join(f"{field}: {_annotation(annotation)}\n" for field, annotation in made.__dict__.get("__annotations__", {}).items()
                         if not field.startswith("_"))
    members = [_member(field, value) for field, value in own.items()
               if field in _shown or not field.startswith("_") and not (name == "Answer" and field in dir(dict))]
    if name == "Record":
        members.append("def __getattr__(self, name: str) -> Any: ...\n")
    if name == "Block":
        members = ["def __getattr__(self, name: str) -> Block: ...\n",
                   "def __getitem__(self, i: int) -> Block: ...  # type: ignore[override]\n"]
    body = _doc(made) + attributes + "".join(members)
    return f"class {name}{f'({bases})' if bases else ''}:\n{_indented(body or '...' + chr(10))}"


def _argument(name, given):
    name = argument(name)
    kinds = set(_types(given))
    if kinds:
        kind = "Law" if "Function" in kinds else "Part | type[Part] | str"
        return f"{name}: {kind}" + (f" = {given['default']!r}" if "default" in given else "")
    default = given["default"]
    kind = "Iterable[float] | Iterable[Number]" if isinstance(default, list) else "Number"
    return f"{name}: {kind} = {default!r}"


def part(name, made):
    """A class of an element, an end or a law."""
    signature = inspect.signature(made).parameters.values()
    named = next((k for k, p in enumerate(signature) if p.kind is p.KEYWORD_ONLY), None)
    arguments = [_argument(parameter, given) for parameter, given in made._defaults.items()]
    if named is not None:
        arguments.insert(named, "*")
    frame = "".join(_member(field, value) for field, value in vars(made.__bases__[0]).items() if field == "at")
    body = _doc(made) + f"def __init__({', '.join(['self', *arguments])}) -> None: ...\n" + frame
    return f"class {name}(Part):\n{_indented(body)}"


def text():
    """Returns __init__.pyi."""
    parts = [HEAD]
    for name in sunlagrange.__all__:
        made = getattr(sunlagrange, name)
        if name in classes:
            parts.append(part(name, made))
        elif name == "Error":
            parts.append(f"class Error(ValueError):\n{_indented(_doc(made))}")
        elif inspect.isclass(made):
            parts.append(plain_class(name, made))
        elif inspect.isfunction(made):
            parts.append(function(name, made))
    return _with_arrays("\n".join(parts))


def _with_arrays(stubs):
    return re.sub(r"numpy\.ndarray(?!\[)", "numpy.ndarray[Any, Any]", stubs)


_kinds = {"text": "str", "number": "float", "integer": "int", "true or false": "bool", "complex": "complex",
          "numbers": "numpy.ndarray", "complex numbers": "numpy.ndarray", "matrix": "numpy.ndarray", "list of numbers": "list[float]",
          "list of lists": "list[list[float]]", "by row": "dict[str, float]", "mechanism": "Mechanism", "number or numbers": "Any"}


def field_type(field):
    """Returns the type of a field of a result as an annotation."""
    inside = field.inside.__name__ if field.inside is not None else "Any"
    if field.per_row:
        return "list[str]" if field.kind == "text" else "numpy.ndarray"
    if field.kind == "list by name":
        return f"dict[str, {inside}]"
    return {"list": f"list[{inside}]", "object": inside, "table": inside}.get(field.kind) or _kinds[field.kind]


def results_text():
    """Returns results.pyi."""
    parts = [HEAD_OF_RESULTS]
    for name, made in _results.classes.items():
        base = made.__bases__[0].__name__
        body = _doc(made)
        for field, entry in made._fields.items():
            if field in vars(made):
                ignored = "  # type: ignore[override]" if field in dir(dict) else ""
                body += f"@property\ndef {field}(self) -> {field_type(entry)}: ...{ignored}\n"
        body += "".join(_member(field, value) for field, value in vars(made).items() if field == "plot")
        parts.append(f"class {name}({base}):\n{_indented(body)}")
    return _with_arrays("\n".join(parts))


if __name__ == "__main__":
    for file, written in (("__init__.pyi", text()), ("results.pyi", results_text())):
        with open(os.path.join(sys.argv[1], file), "w", encoding="utf-8") as out:
            out.write(written)
