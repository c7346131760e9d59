"""Classes of elements, ends and laws, made from the schema of model files, i.e. from the one description in C++."""

import inspect
import json
import keyword

from . import _core
from ._errors import WrongType, did_you_mean, real


class Part:
    """An element, an end or a law with its parameters; equal to others that say the same."""

    _defaults = {}

    def __init__(self, **parameters):
        parameters = {name.rstrip("_"): value for name, value in parameters.items()}
        unknown = [name for name in parameters if name not in self._defaults]
        if unknown:
            known = ", ".join(self._defaults)
            raise WrongType(f"{type(self).__name__} has no parameter {unknown[0]!r}"
                            f"{did_you_mean(unknown[0], self._defaults)}; it has: {known}")
        self.parameters = parameters

    def document(self):
        """As it stands in a model file, without its type."""
        for name, value in self.parameters.items():
            if isinstance(value, (int, float)) and name in _parts(self._defaults):
                example = _parts(self._defaults)[name].format(value)
                raise WrongType(f"{type(self).__name__}: {name}={value!r} is a number, but a law or an end is wanted, "
                                f"e.g. {name}=sunlagrange.{example}")
        return {name: document(value, f"{type(self).__name__}: {name}") for name, value in self.parameters.items()}

    def __eq__(self, other):
        return type(self) is type(other) and self.parameters == other.parameters

    def __repr__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({given})"


def document(value, what="value"):
    """A value as it stands in a model file; (50, "cm") is a number with a unit. Raises WrongType about `what`."""
    if isinstance(value, Part):
        return {"type": type(value).__name__, **value.document()}
    if isinstance(value, type) and issubclass(value, Part):
        return {"type": value.__name__}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        return {"value": real(what, value[0]), "unit": value[1]}
    if callable(value):
        raise WrongType(f"{what}: a function cannot be a law of a model; take one of the laws, e.g. SplineTable or "
                        "Polynomial")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [document(entry, f"{what}[{i}]") for i, entry in enumerate(value)]
    if isinstance(value, dict):
        return {name: document(entry, f"{what}, {name}") for name, entry in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, str)) else real(what, value)


def _parts(properties):
    """{name of a parameter that is a part, e.g. a law: what to write for a number, or its first type}."""
    choices = {name: list(_types(given)) for name, given in properties.items()}
    return {name: "Constant(value={})" if "Constant" in types else types[0] + "()"
            for name, types in choices.items() if types}


def argument(parameter):
    """The name of a parameter as a keyword argument: from_ for from."""
    return parameter + "_" if keyword.iskeyword(parameter) else parameter


def _class(name, summary, properties):
    signature = []
    lines = [f"Blocks: {', '.join(_blocks[name])}", ""] if _blocks.get(name) else []
    for parameter, given in properties.items():
        default = given.get("default", inspect.Parameter.empty)
        shown = "" if default is inspect.Parameter.empty else f" (default {default})"
        bound = next((ref["$ref"].rsplit("/", 1)[1] for ref in given.get("allOf", []) if "$ref" in ref), "number")
        choices = [choice for choice in _types(given)]
        lines.append(f"{argument(parameter)}: {given['description']}{shown}"
                     + (f", {bound.replace('_', ' ')}" if bound != "number" else "")
                     + (f"; one of {', '.join(choices)}" if choices else ""))
        signature.append(inspect.Parameter(argument(parameter), inspect.Parameter.KEYWORD_ONLY, default=default))
    return type(name, (Part,), {
        "__doc__": "\n".join([summary, "", *lines]) if summary else "\n".join(lines),
        "__signature__": inspect.Signature(signature),
        "__module__": "sunlagrange",
        "_defaults": properties,
    })


_blocks = {entry["name"]: entry["blocks"] for entry in _core.elements()}


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
        if name not in ("number", "positive", "not_negative"):
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
