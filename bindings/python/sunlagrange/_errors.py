"""Mistakes, as Error; those that Python has a word for are that as well."""

import difflib
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


def names(said, what="names"):
    """A list of names, or one name alone."""
    listed = [said] if isinstance(said, str) else list(said) if isinstance(said, Iterable) else None
    if listed is None or not all(isinstance(name, str) for name in listed):
        raise WrongType(f"{what}={said!r}: must be a name or a list of names")
    return listed


def events(said):
    """A list of events, or one alone."""
    listed = [said] if isinstance(said, _core.Event) else list(said) if isinstance(said, Iterable) else None
    if listed is None or not all(isinstance(event, _core.Event) for event in listed):
        raise WrongType(f"events={said!r}: must be a list of events, e.g. [sunlagrange.Event(\"turn\", function)]")
    return listed


def mapping(what, said):
    """{name: value}, else WrongType about `what`."""
    if not isinstance(said, Mapping):
        raise WrongType(f"{what}={said!r}: must be a dict, {{name: value}}")
    return said


def real(what, said):
    """What float() takes, without texts, else WrongType about `what`."""
    if not isinstance(said, (str, bytes)):
        try:
            if not numpy.iscomplexobj(said):
                return float(said)
        except (TypeError, ValueError):
            pass
    raise WrongType(f"{what}={said!r}: must be a real number")
