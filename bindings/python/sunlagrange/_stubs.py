"""Writes __init__.pyi, for editors and type checkers: `python3 -m sunlagrange._stubs FILE`."""

import sys

from ._description import argument, classes

HEAD = '''from ._description import Part as Part
from ._model import Analysis as Analysis, Answer as Answer, Assembly as Assembly, Block as Block, Event as Event
from ._model import EventContext as EventContext, FunctionModel as FunctionModel, Interrupted as Interrupted, JointForce as JointForce
from ._model import Measurement as Measurement, Mechanism as Mechanism, Simulation as Simulation, Stepper as Stepper
from ._model import elements as elements, figures as figures, formulations as formulations, integrators as integrators
from ._model import linear_solvers as linear_solvers, mechanism as mechanism, mechanisms as mechanisms
from ._model import read as read, schema as schema, simulate as simulate
from ._study import Study as Study, read_study as read_study, study as study

Number = float | tuple[float, str] | dict[str, float | str]
"""In the unit of the description, or with its own: (50, "cm")."""

class Error(ValueError):
    """What does not fit, with field, value, the relation violated and what to try next."""
'''


def _argument(name, given):
    name = argument(name)
    if "default" not in given:
        return f"{name}: Part | type[Part]"
    default = given["default"]
    kind = {list: "list[float]", str: "Part | type[Part] | str"}.get(type(default), "Number")
    return f"{name}: {kind} = {default!r}"


def stub(name, made):
    arguments = [_argument(parameter, given) for parameter, given in made._defaults.items()]
    listed = ", ".join(["self", *(["*"] if arguments else []), *arguments])
    return f'\nclass {name}(Part):\n    """{made.__doc__}"""\n    def __init__({listed}) -> None: ...\n'


def text():
    return HEAD + "".join(stub(name, made) for name, made in classes.items())


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text())
