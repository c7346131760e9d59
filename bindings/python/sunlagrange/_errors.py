"""Mistakes, as Error; those that Python has a word for are that as well."""

import difflib
import math
import operator
import os
import reprlib
from collections.abc import Iterable, Mapping

import numpy

from . import _core

Error = _core.Error
Error.__module__ = "sunlagrange"
Error.__doc__ = "What does not fit, with field, value, the relation violated and what to try next."


class UnknownName(Error, KeyError):
    """A name that is not there."""

    __str__ = Exception.__str__  # KeyError has quotes round it


class UnknownAttribute(Error, AttributeError):
    """The same behind a dot."""


class WrongType(Error, TypeError):
    """Something else than what was wanted."""


def did_you_mean(name, known):
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def unknown(what, name, known, error=UnknownName):
    """The error of a name that is none of those known."""
    known = [str(entry) for entry in known]
    listed = ", ".join(known) or "none"
    return error(f"there is no {what}{' ' if what else ''}{name!r}{did_you_mean(name, known)}; there are: {listed}")


def shown(said):
    """A value in a message; a long one is shortened."""
    words = repr(said)
    return words if len(words) <= 120 else reprlib.repr(said)


def wrong(what, said, wanted):
    """The error of a value that is no `wanted`."""
    return WrongType(f"{what}={shown(said)}: must be {wanted}")


def listed(said):
    """A list of what is no text and no dict; None: it is no list."""
    if isinstance(said, (str, bytes, Mapping)) or not isinstance(said, Iterable):
        return None
    try:
        return list(said)
    except TypeError:  # an array of no dimension
        return None


def names(said, what="names"):
    """A list of names, or one name alone."""
    found = [said] if isinstance(said, str) else listed(said)
    if found is None or not all(isinstance(name, str) for name in found):
        raise wrong(what, said, "a name or a list of names")
    return found


def events(said):
    """A list of events, or one alone."""
    found = [said] if isinstance(said, _core.Event) else listed(said)
    if found is None or not all(isinstance(event, _core.Event) for event in found):
        raise wrong("events", said, "a list of events, e.g. [sunlagrange.Event(\"turn\", function)]")
    return found


def mapping(what, said, wanted="{name: value}"):
    """A dict, else WrongType about `what`."""
    if not isinstance(said, Mapping):
        raise wrong(what, said, f"a dict, {wanted}")
    for name in said:
        if not isinstance(name, str):
            raise wrong(f"{what}, name", name, "a text")
    return said


def real(what, said):
    """What float() takes, without texts, else WrongType about `what`."""
    if not isinstance(said, (str, bytes)):
        try:
            if not numpy.iscomplexobj(said):
                return float(said)
        except (TypeError, ValueError, OverflowError):
            pass
    raise wrong(what, said, "a real number")


def finite(what, said):
    """The same, and neither infinite nor not-a-number."""
    value = real(what, said)
    if not math.isfinite(value):
        raise Error(f"{what}={value}: must be a finite number")
    return value


def reals(what, said, wanted="a list of numbers"):
    """A list of finite numbers; Error about `what`, or about its entry."""
    if isinstance(said, numpy.ndarray) and said.ndim == 1 and said.dtype.kind in "fiu" and numpy.isfinite(said).all():
        return said.astype(float).tolist()  # long ones in no time
    found = listed(said)
    if found is None:
        raise wrong(what, said, wanted)
    return [finite(f"{what}[{i}]", x) for i, x in enumerate(found)]


def whole(what, said, least=0, most=2**31 - 1):
    """A whole number between those, else WrongType, or Error, about `what`."""
    try:
        if isinstance(said, (bool, numpy.bool_)):
            raise TypeError
        value = operator.index(said)
    except TypeError:
        raise wrong(what, said, "a whole number") from None
    if not least <= value <= most:
        raise Error(f"{what}={shown(value)}: must be a whole number from {least} to {most}")
    return value


def flag(what, said):
    """True or False, else WrongType about `what`."""
    if not isinstance(said, (bool, numpy.bool_)):
        raise wrong(what, said, "True or False")
    return bool(said)


def text(what, said):
    """A text, else WrongType about `what`."""
    if not isinstance(said, str):
        raise wrong(what, said, "a text")
    return said


def path(what, said):
    """The name of a file, else WrongType about `what`."""
    if not isinstance(said, (str, os.PathLike)):
        raise wrong(what, said, "the name of a file")
    return os.fspath(said)


def entries(what, said, count, wanted):
    """A tuple or list of so many, else WrongType about `what`."""
    found = listed(said)
    if found is None or len(found) != count:
        raise wrong(what, said, wanted)
    return found


def function(what, said, wanted="a function"):
    """What can be called, or None, else WrongType about `what`."""
    if said is not None and not callable(said):
        raise wrong(what, said, wanted)
    return said


def record(said):
    """What a run records, as the core takes it."""
    wanted = '"every_step", "ends_only", a number of steps, or a list of times [s]'
    if isinstance(said, str):
        return said  # the core knows the words
    if listed(said) is not None:
        return reals("record", said)
    try:
        return whole("record", said, 1)
    except WrongType:
        raise wrong("record", said, wanted) from None
