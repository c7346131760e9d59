"""Mistakes, as Error; those that Python has a word for are that as well."""

import difflib

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


def names(said):
    """A list of names, or one name alone."""
    return [said] if isinstance(said, (str, _core.Event)) else list(said)
