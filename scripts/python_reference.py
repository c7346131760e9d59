#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/python_reference.py PACKAGE : the public names of the Python package with signatures and docstrings, as Markdown.

Reads the sources of the package (bindings/python/sunlagrange), nothing is imported. The classes of elements, ends and laws
are made from the registry and stand on the pages of elements. Returns 1 if a public name has no docstring.
"""

import ast
import os
import re
import sys

missing = []


def exported(package):
    """[(name, node)] of what __init__.py imports from its modules, in the order of __all__."""
    with open(os.path.join(package, "__init__.py"), encoding="utf-8") as file:
        start = ast.parse(file.read())
    found = {}
    for line in start.body:
        if not isinstance(line, ast.ImportFrom) or line.level != 1:
            continue
        with open(os.path.join(package, f"{line.module}.py"), encoding="utf-8") as file:
            module = ast.parse(file.read())
        nodes = {node.name: node for node in module.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for alias in line.names:
            name = alias.asname or alias.name
            if not name.startswith("_") and alias.name in nodes:
                found[name] = nodes[alias.name]
                for base in getattr(found[name], "bases", ()):  # members of private bases are public, too
                    private = nodes.get(ast.unparse(base)) if ast.unparse(base).startswith("_") else None
                    found[name].body += private.body if private and private is not found[name] else []
    return ast.get_docstring(start), sorted(found.items(), key=lambda item: (isinstance(item[1], ast.FunctionDef), item[0].lower()))


def decorators(node):
    return {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}


def signature(node, method):
    arguments = re.sub(r"(: [^=,]+)=", r"\1 = ", ast.unparse(node.args))
    if method and "staticmethod" not in decorators(node):
        arguments = re.sub(r"^(self|cls)(: [^,]*)?(, )?", "", arguments)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returned}"


def docstring(node, name):
    """The docstring; fragments of code in it, indented or behind >>>, as blocks."""
    text = ast.get_docstring(node)
    if not text:
        missing.append(name)
        return ""
    lines, code = [], False
    for line in text.splitlines():
        indented = line.startswith("    ")
        if indented and not code:
            lines += ["", "```python"]
        if code and not indented and line.strip():
            lines += ["```", ""]
        code = indented or (code and not line.strip())
        lines.append(line[4:] if indented else line if code else escaped(line))
    return "\n".join(lines + (["```"] if code else []))


def escaped(text):
    """Text in which Doxygen finds no commands, tags or emphasis of its own: names with _ become code."""
    parts = re.split(r"(`[^`]*`)", text)
    for k in range(0, len(parts), 2):
        words = re.split(r"([A-Za-z][\w.]*_\w+(?:\(\))?)", parts[k])
        words = [f"`{word}`" if i % 2 else re.sub(r"([<>@#*\\])", r"\\\1", word) for i, word in enumerate(words)]
        parts[k] = "".join(words)
    return "".join(parts)


def members(node):
    """Fields with a docstring behind them, properties and methods: [(heading, text)]."""
    result = []
    for line, behind in zip(node.body, [*node.body[1:], None]):
        if isinstance(line, ast.AnnAssign) and not line.target.id.startswith("_"):
            said = behind.value.value if isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant) else ""
            result.append((ast.unparse(line), escaped(" ".join(str(said).split()))))
        elif isinstance(line, ast.FunctionDef) and not line.name.startswith("_"):
            kinds = decorators(line)
            if any(kind.endswith(".setter") for kind in kinds):
                continue
            text = docstring(line, f"{node.name}.{line.name}")
            if "property" in kinds:
                returned = f": {ast.unparse(line.returns)}" if line.returns else ""
                result.append((line.name + returned, text))
            else:
                result.append((signature(line, True), text))
        elif isinstance(line, ast.FunctionDef) and line.name == "__init__" and ast.get_docstring(line):
            result.append((node.name + signature(line, True)[len("__init__"):].split(" -> ")[0], docstring(line, node.name)))
    return result


def main():
    about, names = exported(sys.argv[1])
    print("# Python reference {#python_reference}\n")
    print("This page is made of the docstrings of the package. @ref python is the introduction, and @ref elements lists the")
    print("classes of elements, ends and laws. `help(sunlagrange.Assembly)` shows the same in Python.\n")
    if not about:
        missing.append("sunlagrange")
    for name, node in names:
        print(f"\n## {name} {{#python_{name}}}\n")
        if isinstance(node, ast.FunctionDef):
            print(f"```python\nsunlagrange.{signature(node, False)}\n```\n")
            print(docstring(node, name))
            continue
        bases = ", ".join(ast.unparse(base) for base in node.bases if not ast.unparse(base).startswith("_"))
        print(f"```python\nclass sunlagrange.{name}{f'({bases})' if bases else ''}\n```\n")
        print(docstring(node, name))
        for heading, text in members(node):
            print(f"\n```python\n{heading}\n```\n\n{text}")
    for name in missing:
        print(f"{name} has no docstring", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
