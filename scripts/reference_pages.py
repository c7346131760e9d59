#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/reference_pages.py [--check] PROGRAM : writes docs/elements, docs/options.md and docs/gallery.md.

Names, summaries, blocks and headers come from `PROGRAM list`, parameters and options from `PROGRAM export --schema`, the laws
from the comments of the classes, and the pictures of the gallery from scripts/gallery.py. The examples of elements in C++ are
written for their test as well. scripts/tables.sh runs it; with --check nothing is written, and files that differ are named.
"""

import json
import keyword
import os
import re
import subprocess
import sys
import textwrap

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = "include/sunlagrange"

PAGES = {
    "planar": ("Planar elements", "Bodies, points, joints and forces in the plane."),
    "spatial": ("Spatial elements", "Bodies, joints and forces in space. Joints take two ends ([parts](parts.md)), a body or the ground."),
    "coordinate": ("Elements of one coordinate", "They act on angles and lengths, also on one coordinate of a body."),
    "network": ("Electrical, hydraulic, thermal and economic elements",
                "Circuits, pipes and heat, and couplings between domains."),
}
# Names of blocks in the examples; a number follows if there are several.
NAMES = {"planar_point": "point", "planar_body": "body", "spatial_point": "point", "spatial_body": "body",
         "translation": "slide", "rotation": "shaft", "electrical": "charge", "hydraulic": "volume",
         "thermal": "entropy", "economic": "funds"}


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def contents(file):
    with open(os.path.join(SOURCE, file), encoding="utf-8") as stream:
        return stream.read()


def elements(program):
    """[{type, template, summary, blocks, header}] in the order of the registry."""
    found = []
    for line in output(program, "list", "elements").splitlines():
        row = re.match(r"\s+(\w+)(<.*?>)?\s+(.*); \{(.*)\}; <(.*)>$", line)
        if row:
            name, template, summary, blocks, header = row.groups()
            kinds = [] if blocks == "any" else re.split(r", | and ", blocks)
            found.append({"type": name, "template": bool(template), "summary": summary, "blocks": kinds, "header": header})
    return found


# ---- comments of classes ------------------------------------------------------------------------------------------


def comment_of(header, name):
    """The comment of a class as paragraphs and blocks of formulas, [(is_block, lines)]; an alias has that of its class."""
    text = contents(f"include/{header}")
    alias = re.search(rf"^using {name} =\s+(\w+)", text, re.M)
    lines = text.splitlines()
    declaration = rf"(struct|class) {alias.group(1) if alias else name}\b"
    at = next((i for i, line in enumerate(lines) if re.match(declaration, line)), None)
    if at is None:  # of the header where the class of the alias is
        for include in re.findall(r"#include <(sunlagrange/elements/[^>]*)>", text):
            if alias and re.search(rf"^struct {alias.group(1)}\b", contents(f"include/{include}"), re.M):
                return comment_of(include, alias.group(1))
        raise SystemExit(f"{header}: no class {name}")
    while lines[at - 1].startswith("template <"):
        at -= 1
    if not lines[at - 1].startswith("///"):
        raise SystemExit(f"{header}: the class of {name} has no comment, from which its page takes the law")
    begin = at
    while lines[begin - 1].startswith("///"):
        begin -= 1
    parts = []
    for line in lines[begin:at]:
        line = line[4:] if line.startswith("/// ") else line[3:]
        if not line.strip():
            parts.append((False, []))
        elif line.startswith("    "):
            if not parts or not parts[-1][0]:
                parts.append((True, []))
            parts[-1][1].append(line[4:])
        else:
            if not parts or parts[-1][0]:
                parts.append((False, []))
            parts[-1][1].append(line)
    return [part for part in parts if part[1]]


def markdown(text):
    """Text of a comment in which <, *, @ and # are themselves."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<>*@#])", r"\\\1", part) for part in parts)


def filled(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def law(header, name):
    """The comment as Markdown; "When not" begins a paragraph of its own."""
    lines = []
    for block, text in comment_of(header, name):
        if block:
            lines += ["", "```text", *text, "```"]
            continue
        for part in re.split(r"(?<=[.:)]) (?=When not:)|^(?=When not:)", " ".join(text)):
            if part:
                lines += ["", *filled(re.sub("^When not:", "**When not:**", markdown(part)))]
    return lines[1:]


# ---- parameters -------------------------------------------------------------------------------------------------------


def types(given):
    """The types of a part that a parameter may be."""
    for choice in given.get("anyOf", []):
        if "$ref" in choice:
            yield choice["$ref"].rsplit("/", 1)[1]
        elif "anyOf" in choice:
            yield choice["anyOf"][1]["const"]


def number(value):
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e5 else repr(value)


def rows(properties, prefix=""):
    """Rows of the table of parameters."""
    for name, given in properties.items():
        if "properties" in given:
            yield from rows(given["properties"], f"{prefix}{name}.")
            continue
        meaning, unit = re.fullmatch(r"(.*?)(?: \[([^\]]*)\])?", given["description"]).groups()
        choices = list(types(given))
        default = given.get("default")
        shown = "required" if default is None else f"`{default}`" if isinstance(default, str) else default
        if isinstance(shown, list):
            shown = "`[" + ", ".join(number(x) for x in shown) + "]`"
        elif not isinstance(shown, str):
            shown = f"`{number(shown)}`"
        bound = next((ref["$ref"].rsplit("/", 1)[1] for ref in given.get("allOf", [])), "number").replace("_", " ")
        if choices:
            meaning += "; one of " + ", ".join(f"`{choice}`" for choice in choices)
        if bound != "number":
            meaning += f", {bound}"
        yield f"| `{prefix}{name}` | {unit or ''} | {shown} | {markdown(meaning).replace('|', chr(92) + '|')} |"


def table(properties):
    return ["| parameter | unit | default | meaning |", "|---|---|---|---|", *rows(properties)] if properties else []


# ---- examples ---------------------------------------------------------------------------------------------------------


def example(element, properties):
    """(C++, JSON, Python) that add the element; one parameter has another value than its default."""
    if element["body"]:
        return example_of_body(element["type"], properties)
    kinds = element["blocks"] or (["rotation"] * (2 if element["type"] == "PrescribedDifference" else 1))
    blocks = [NAMES[kind] + (f"_{kinds[:k].count(kind) + 1}" if kinds.count(kind) > 1 else "") for k, kind in enumerate(kinds)]
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", element["type"]).split()
    name = next((word for word in reversed(name) if word not in ("Ground", "To", "Between", "Rate", "Curve", "On", "By")), name[-1]).lower()
    if name in blocks:
        name += "_element"
    said, python, field = changed(properties)
    cpp = f"{name}.{field} = {said[field]!r};\n" if field else ""
    shown = {"name": name, "type": element["type"], "blocks": blocks}
    if said:
        shown["parameters"] = said
    return (f"{element['type']}{'<>' if element['template'] else ''} {name};\n{cpp}"
            f"assembly.add(\"{name}\", {name}, {{{', '.join(blocks)}}});",
            json.dumps(shown),
            f"model.add(\"{name}\", sl.{element['type']}({python}), {', '.join(blocks)})")


def example_of_body(kind, properties):
    """The same for a body, which has a block of its own."""
    name = "bob" if kind.endswith("Particle") else "crank"
    said, python, field = changed(properties)
    for p, given in properties.items():
        if "default" not in given:
            chosen = next(types(given))
            said[p] = {"type": chosen}
            python += f", {argument(p)}=sl.{chosen}()"
    return (f"{kind} {name};\n{name}.{field} = {said[field]!r};\nassembly.body(\"{name}\", {name});",
            json.dumps({"name": name, "type": kind, "parameters": said}),
            f"{name} = model.body(\"{name}\", sl.{kind}({python}))")


def changed(properties):
    """A value for one parameter: (for JSON, for Python, its name if it is a number)."""
    numbers = [p for p, given in properties.items() if isinstance(given.get("default"), float)]
    if numbers:
        default = properties[numbers[0]]["default"]
        value = 0.5 if default == 0 else 2 * default
        return {numbers[0]: value}, f"{argument(numbers[0])}={value!r}", numbers[0]
    for p, given in properties.items():
        if "default" not in given:
            chosen = next(types(given))
            return {p: {"type": chosen}}, f"{argument(p)}=sl.{chosen}()", None
    return {}, "", None


def argument(parameter):
    """The name of a parameter as a keyword argument of Python."""
    return parameter + "_" if keyword.iskeyword(parameter) else parameter


# ---- pages ------------------------------------------------------------------------------------------------------------


def mechanisms_with(name):
    """Mechanisms of the gallery that have such an element."""
    shown = re.findall(r"^## (\w+)$", contents("docs/gallery.md"), re.M)
    return [mechanism for mechanism in shown
            if re.search(rf"\b{name}\b\s*[<{{(]", contents(f"examples/mechanisms/{mechanism}.cpp"))]


def link(element):
    return f"[{element['type']}]({element['folder']}.md#{element['type'].lower()})"


def page_of(folder, listed, schema):
    title, about = PAGES[folder]
    kinds = sorted({kind for element in listed for kind in element["blocks"]}, key=list(NAMES).index)
    lines = [f"# {title} {{#elements_{folder}}}", "", *filled(about + " `scripts/reference_pages.py` writes this page."), "",
             "In the examples `assembly` and `model` are an `Assembly` of C++ and of Python, and the arguments behind the element",
             "are its blocks. Parameters that are not named keep their defaults. Names of blocks and their kinds:",
             *filled(", ".join(f"`{NAMES[kind]}` (`{kind}`)" for kind in kinds) + ".")]
    for element in listed:
        name = element["type"]
        properties = schema[name]
        cpp, said, python = example(element, properties)
        ends = any("AtPoint" in types(given) or "BodyEnd" in types(given) for given in properties.values())
        lines += ["", f"## {name}", "",
                  f"**{markdown(element['summary'][0].upper() + element['summary'][1:])}.**",
                  f"Blocks{' of the default ends' if ends else ''}: {', '.join(f'`{kind}`' for kind in element['blocks']) or 'any coordinates'}"
                  f"{', its own; in a model file it stands in `bodies`' if element['body'] else ''}.",
                  f"Header: `{element['header']}`.", "", *law(element["header"], name)]
        if os.path.exists(os.path.join(SOURCE, f"docs/pictures/element-{name}.png")):
            lines += ["", f"![{name}](../pictures/element-{name}.png)"]
        if properties:
            lines += ["", *table(properties)]
        seen = mechanisms_with(name)
        if seen:
            lines += ["", *filled("Seen in " + ", ".join(f"[{each}](../gallery.md#{each})" for each in seen) + ".")]
        lines += ["", "```cpp", cpp, "```", "", "```json", said, "```", "", "```python", python, "```"]
    return "\n".join(lines) + "\n"


def parts_page(document, listed):
    """Ends, laws and curves: the types that a parameter of an element may be."""
    parts = {}
    for given in document["definitions"].values():
        if given.get("anyOf", [{}])[-1].get("const"):
            properties = dict(given["anyOf"][0]["properties"])
            parts.setdefault(properties.pop("type")["const"], properties)
    for given in document["properties"]["elements"]["items"]["oneOf"]:
        for parameter in given["properties"]["parameters"]["properties"].values():
            for choice in parameter.get("anyOf", []):
                if "anyOf" in choice:
                    properties = dict(choice["anyOf"][0]["properties"])
                    parts.setdefault(properties.pop("type")["const"], properties)
    lines = ["# Ends, laws and curves {#parts}", "",
             "These are the types of parameters that are no numbers: ends of joints, springs and forces, laws of time or force, and",
             "curves. In JSON a part is an object with a `type`, or the type alone if the defaults fit; in Python it is an object of",
             "the class of that name; in C++ any callable with the same arguments will do as a law.", "",
             "`scripts/reference_pages.py` writes this page from the schema of model files."]
    for name, properties in sorted(parts.items()):
        elements_with = [element for element in listed
                         if any(name in types(given) for given in schema_of(document)[element["type"]].values())]
        lines += ["", f"## {name}", ""]
        lines += table(properties) or ["It has no parameters."]
        if elements_with:
            lines += ["", *filled("Taken by " + ", ".join(link(other) for other in elements_with) + ".")]
        said, python, _ = changed(properties)
        lines += ["", "```json", json.dumps({"type": name, **said}), "```", "", "```python", f"sl.{name}({python})", "```"]
    return "\n".join(lines) + "\n"


def schema_of(document):
    return {given["properties"]["type"]["const"]: given["properties"]["parameters"]["properties"]
            for given in document["properties"]["elements"]["items"]["oneOf"]}


def index_page(listed):
    lines = ["# Elements {#elements}", "",
             f"The library has {len(listed)} elements. Their pages say the law, the blocks of coordinates, the parameters with",
             "units and defaults, and how an element is added in C++, in a model file and in Python. `sunlagrange list elements`",
             "prints the same list. An element of your own is a small struct with the same members (`examples/own_element.cpp`).", "",
             "[Ends of joints and springs, laws and curves](parts.md) are parameters of many elements."]
    for folder, (title, _) in PAGES.items():
        lines += ["", f"**[{title}]({folder}.md)**", "", "| element | what it is | blocks |", "|---|---|---|"]
        for element in listed:
            if element["folder"] == folder:
                lines.append(f"| {link(element)} | {markdown(element['summary'])} | "
                             f"{', '.join(f'`{kind}`' for kind in element['blocks']) or 'any'} |")
    return "\n".join(lines) + "\n"


def options_page(document):
    options = document["properties"]["simulation"]["properties"]
    lines = ["# Options of a run {#options}", "",
             "The options have the same names in all languages: members of `SimulationOptions` in C++, entries of `simulation` in a",
             "model file, keyword arguments of `simulate` in Python. The programs take them with dashes (`--max-steps`; `sunlagrange",
             "run --help`). `scripts/reference_pages.py` writes this page from the registry.", "",
             "| option | meaning | unit | default |", "|---|---|---|---|"]
    for name, given in options.items():
        meaning, unit = re.fullmatch(r"(.*?)(?: \[([^\]]*)\])?", given["description"]).groups()
        if unit and ("," in meaning and "[" in meaning):
            meaning, unit = given["description"], ""
        default = given.get("default", "")
        shown = "" if default == "" else f"`{json.dumps(default) if not isinstance(default, str) else default}`"
        limits = [f"{word} {number(given[key])}" for key, word in (("minimum", "at least"), ("exclusiveMinimum", "more than"),
                                                                   ("exclusiveMaximum", "less than")) if key in given
                  and abs(given[key]) < 1e99]
        choices = [f"`{choice}`" for choice in given.get("enum", [])]
        detail = "; ".join([meaning, *([", ".join(choices)] if choices else []), *([", ".join(limits)] if limits else [])])
        lines.append(f"| `{name}` | {markdown(detail).replace('|', chr(92) + '|')} | {unit or ''} | {shown} |")
    lines += ["", "The same options in three languages:", "", "```cpp", "SimulationOptions options;", "options.t_end = 3.0;",
              "options.formulation = \"ggl\";", "```", "", "```json", '{"simulation": {"t_end": 3.0, "formulation": "ggl"}}',
              "```", "", "```python", 'model = model.build(t_end=3.0, formulation="ggl")', "```", "",
              "C++ has more options that need functions or objects (events, recorded times, a Butcher table, `keep_going`):",
              "sunlagrange::SimulationOptions."]
    return "\n".join(lines) + "\n"


def examples_header(listed, schema):
    """The examples of C++, each in a template that nobody instantiates: names and types are checked, nothing is compiled."""
    lines = ["// SPDX-License-Identifier: BSD-3-Clause\n// scripts/reference_pages.py writes this file: the examples of docs/elements in C++.", ""]
    for element in listed:
        cpp, _, _ = example(element, schema[element["type"]])
        blocks = [] if element["body"] else re.search(r"\{([^}]*)\}\);$", cpp).group(1).split(", ")
        lines += ["template <class AnyAssembly>",
                  f"void example_{element['type']}("
                  + ", ".join(["AnyAssembly& assembly", *(f"const Block& {block}" for block in blocks)]) + ") {",
                  *("  " + line for line in cpp.splitlines()), "}"]
    return "\n".join(lines) + "\n"


def gallery_page(program):
    """Mechanisms with pictures of scripts/gallery.py."""
    lines = ["# Gallery {#gallery}", "",
             "These mechanisms come with the programs: `sunlagrange run NAME --html NAME.html` shows one moving, with its curves and",
             "joint forces. The stills are made by `scripts/gallery.py`, and this page by `scripts/reference_pages.py`.",
             "`examples/README.md` lists all mechanisms with their references, and the example programs."]
    for line in output(program, "list", "mechanisms").splitlines():
        row = re.match(r"  (\w+)\s+(.*?)( \(--size N, default \d+\))?$", line)
        if row and os.path.exists(os.path.join(SOURCE, f"docs/pictures/gallery-{row.group(1)}.png")):
            name, summary = row.group(1), row.group(2)
            lines += ["", f"## {name}", "", *filled(markdown(summary[0].upper() + summary[1:]) + "."), "",
                      f"![{name}](pictures/gallery-{name}.png)"]
    return "\n".join(lines) + "\n"


def files(program):
    document = json.loads(output(program, "export", "--schema"))
    schema = schema_of(document)
    listed = elements(program)
    bodies = {given["properties"]["type"]["const"] for given in document["properties"]["bodies"]["items"]["oneOf"]}
    for element in listed:
        element["folder"] = element["header"].split("/")[2]
        element["body"] = element["type"] in bodies
    if {element["type"] for element in listed} != set(schema):
        raise SystemExit("the list of elements and the schema name different elements")
    made = {"docs/gallery.md": gallery_page(program), "docs/elements/README.md": index_page(listed), "docs/elements/parts.md": parts_page(document, listed),
            "docs/options.md": options_page(document),
            "tests/unit/elements/element_pages.inc": examples_header(listed, schema)}
    for folder in PAGES:
        made[f"docs/elements/{folder}.md"] = page_of(folder, [e for e in listed if e["folder"] == folder], schema)
    return made


def main():
    check = "--check" in sys.argv
    program = os.path.abspath(sys.argv[-1])
    different = []
    for file, text in files(program).items():
        path = os.path.join(SOURCE, file)
        if check:
            if not os.path.exists(path) or contents(file) != text:
                different.append(file)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
    for file in different:
        print(f"{file}: run scripts/tables.sh", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
