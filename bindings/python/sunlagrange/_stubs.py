"""Writes __init__.pyi, for editors and type checkers: `python3 -m sunlagrange._stubs FILE`."""

import sys

from ._description import argument, classes

HEAD = '''from ._core import Error as Error
from ._description import Part as Part
from ._model import Assembly as Assembly, Block as Block, Mechanism as Mechanism, Simulation as Simulation
from ._model import read as read, schema as schema, simulate as simulate
'''


def _argument(name, said):
    name = argument(name)
    if "default" not in said:
        return f"{name}: Part | type[Part] = ..."
    kind = "list[float]" if isinstance(said["default"], list) else "float | dict[str, float | str]"
    return f"{name}: {kind} = {said['default']!r}"


def stub(name, made):
    arguments = [_argument(parameter, said) for parameter, said in made._defaults.items()]
    listed = ", ".join(["self", *(["*"] if arguments else []), *arguments])
    return f'\nclass {name}(Part):\n    """{made.__doc__}"""\n    def __init__({listed}) -> None: ...\n'


def text():
    return HEAD + "".join(stub(name, made) for name, made in classes.items())


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text())
