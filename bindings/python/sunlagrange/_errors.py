# SPDX-License-Identifier: BSD-3-Clause
"""Errors of arguments. They are Errors, and TypeError, KeyError or AttributeError where Python has that word."""

import difflib
import inspect
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
    """An unknown name."""

    __str__ = Exception.__str__  # KeyError has quotes round it


class UnknownAttribute(Error, AttributeError):
    """An unknown attribute."""


class WrongType(Error, TypeError):
    """A value of a wrong type."""


def did_you_mean(name, known):
    """Proposes the name that is nearly the same, else those that contain the name, else the nearest one."""
    name, known = str(name), [str(entry) for entry in known]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    if not near and len(name) > 2:
        near = [entry for entry in known if name.lower() in entry.lower()][:8]
    near = near or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f" (did you mean {', '.join(near)}?)" if near else ""


def unknown(what, name, known, error=UnknownName):
    """Returns the error of a name that is not among the known ones."""
    known = [str(entry) for entry in known]
    listed = ", ".join(known) or "none"
    return error(f"there is no {what}{' ' if what else ''}{name!r}{did_you_mean(name, known)}; there are: {listed}")


def shown(given):
    """Returns the text of a value for a message; a long one is shortened."""
    words = repr(given)
    return words if len(words) <= 120 else reprlib.repr(given)


def wrong(what, given, wanted):
    """Returns the error of a value that is no `wanted`."""
    return WrongType(f"{what}={shown(given)}: must be {wanted}")


def listed(given):
    """Returns a list of the entries, or None for a text, a dict or a single value."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        return None
    try:
        return list(given)
    except TypeError:  # an array of no dimension
        return None


def names(given, what="names"):
    """Returns a list of names, also of one name alone."""
    found = [given] if isinstance(given, str) else listed(given)
    if found is None or not all(isinstance(name, str) for name in found):
        raise wrong(what, given, "a name or a list of names")
    return found


def events(given):
    """Returns a list of events, also of one event alone."""
    found = [given] if isinstance(given, _core.Event) else listed(given)
    if found is None or not all(isinstance(event, _core.Event) for event in found):
        raise wrong("events", given, "a list of events, e.g. [sunlagrange.Event(\"turn\", function)]")
    return found


def mapping(what, given, wanted="{name: value}"):
    """Returns a dict, or raises WrongType about `what`."""
    if not isinstance(given, Mapping):
        raise wrong(what, given, f"a dict, {wanted}")
    for name in given:
        if not isinstance(name, str):
            raise wrong(f"{what}, name", name, "a text")
    return given


def real(what, given):
    """Returns the value as a float, or raises WrongType about `what`, also for texts."""
    if not isinstance(given, (str, bytes)):
        try:
            if not numpy.iscomplexobj(given):
                return float(given)
        except (TypeError, ValueError, OverflowError):
            pass
    raise wrong(what, given, "a real number")


def finite(what, given):
    """Returns the value as a finite float, or raises an error about `what`."""
    value = real(what, given)
    if not math.isfinite(value):
        raise Error(f"{what}={value}: must be a finite number")
    return value


def has_unit(given):
    """Returns True for (30, "deg") and ([10, 20], "deg")."""
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str)


def in_unit(what, given, unit):
    """Returns (30, "deg") as a number in this unit; other values as they are."""
    if not has_unit(given):
        return given
    try:
        return _core.in_unit(finite(what, given[0]), given[1], unit)
    except Error as error:
        raise error if str(error).startswith(what) else Error(f"{what}: {error}") from None


def reals_in_unit(what, given, unit):
    """Returns numbers in this unit, also of (numbers, "deg") and of numbers with their own units."""
    if has_unit(given):
        given = [(x, given[1]) for x in reals(what, given[0])]
    found = None if isinstance(given, numpy.ndarray) else listed(given)
    if found is not None:
        given = [in_unit(f"{what}[{i}]", x, unit) for i, x in enumerate(found)]
    return reals(what, given)


def times(what, given):
    """Returns times [s]; they may have units, as t_end may."""
    return reals_in_unit(what, given, "s")


def reals(what, given, wanted="a list of numbers"):
    """Returns a list of finite numbers, or raises an error about `what` or its entry."""
    if isinstance(given, numpy.ndarray) and given.ndim == 1 and given.dtype.kind in "fiu" and numpy.isfinite(given).all():
        return given.astype(float).tolist()  # long ones in no time
    found = listed(given)
    if found is None:
        raise wrong(what, given, wanted)
    return [finite(f"{what}[{i}]", x) for i, x in enumerate(found)]


def whole(what, given, least=0, most=2**31 - 1):
    """Returns a whole number in these limits, or raises WrongType or Error about `what`."""
    try:
        if isinstance(given, (bool, numpy.bool_)):
            raise TypeError
        value = operator.index(given)
    except TypeError:
        raise wrong(what, given, "a whole number") from None
    if not least <= value <= most:
        raise Error(f"{what}={shown(value)}: must be a whole number from {least} to {most}")
    return value


def flag(what, given):
    """Returns True or False, or raises WrongType about `what`."""
    if not isinstance(given, (bool, numpy.bool_)):
        raise wrong(what, given, "True or False")
    return bool(given)


def text(what, given):
    """Returns a text, or raises WrongType about `what`."""
    if not isinstance(given, str):
        raise wrong(what, given, "a text")
    return given


def path(what, given):
    """Returns the name of a file, or raises WrongType about `what`."""
    if not isinstance(given, (str, os.PathLike)):
        raise wrong(what, given, "the name of a file")
    return os.fspath(given)


def entries(what, given, count, wanted):
    """Returns a tuple or list of that length, or raises WrongType about `what`."""
    found = listed(given)
    if found is None or len(found) != count:
        raise wrong(what, given, wanted)
    return found


def function(what, given, wanted="a function", arguments=None):
    """Returns a callable or None, or raises WrongType about `what`. arguments: the names of those that it is called with."""
    if given is None:
        return None
    if not callable(given):
        raise wrong(what, given, wanted)
    if arguments is not None:
        try:
            signature = inspect.signature(given)
        except (TypeError, ValueError):  # of some functions in C
            return given
        try:
            signature.bind(*arguments)
        except TypeError:
            raise WrongType(f"{what}={getattr(given, '__name__', shown(given))}{signature}: must be a function of "
                            f"{', '.join(arguments)}") from None
    return given


def record(given):
    """Returns the selection of recorded states in the form of the C++ module."""
    wanted = '"every_step", "ends_only", a number of steps, or a list of times [s]'
    if isinstance(given, str):
        return given  # the core knows the words
    if listed(given) is not None:
        return times("record", given)
    try:
        return whole("record", given, 1)
    except WrongType:
        raise wrong("record", given, wanted) from None
