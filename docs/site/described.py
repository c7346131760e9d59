# SPDX-License-Identifier: BSD-3-Clause
"""described.py HEADERS COPIES : the headers as Doxygen takes them: members that are described elsewhere have a comment.

The copy of /path/x.hpp is COPIES/path/x.hpp, which docs/Doxyfile gives to Doxygen in its place.

- A field that `describe_parameters(Parameters& p)` or `describe(Figures& f)` states has its unit and meaning.
- A member that a table of a comment lists, with the head `| member | meaning |`, has the meaning of its row. The table
  of model/requirements.hpp holds for all elements, each other table for its own file.
- An argument of a constructor that initialises a described field has the description of the field.
- Fields that are declared together share the comment of the declaration, which Doxygen gives to one of them only.
- `describe`, `describe_parameters` and `type_name` mean the same everywhere.

Other members with a comment of their own keep it. No line is added, so that places in messages are right.
"""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "include/sunlagrange/model/requirements.hpp"
EVERYWHERE = {
    " describe(Figures&": "States name, unit, meaning and value of each figure, see Figures.",
    " describe(Rows&": "States the rows of the joint to a visitor that writes them, see joint.hpp.",
    " describe_parameters(Parameters&": "States name, unit, range and meaning of each parameter, see Parameters.",
    " type_name =": "Name by which model files choose this type.",
}
OPEN, CLOSE = "([{", ")]}"


def blanked(text):
    """The text with comments and string literals blanked, so that brackets and names in them do not count."""
    return re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', lambda found: " " * len(found.group()), text)


def closing(code, start):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] in OPEN) - (code[place] in CLOSE)
        if depth == 0:
            return place
    return len(code)


def parts_of(text, code, start, end):
    """The parts between the commas from `start` to `end`."""
    depth, begin, found = 0, start, []
    for place in range(start, end + 1):
        if place == end or (code[place] == "," and depth == 0):
            found.append(text[begin:place].strip())
            begin = place + 1
        depth += (code[place] in OPEN) - (code[place] in CLOSE)
    return found


def literal(argument):
    """The text of an argument made of string literals; None if it is something else."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', argument)
    return "".join(parts) if re.fullmatch(r'(\s*"(?:[^"\\]|\\.)*")+\s*', argument) else None


def unit_of(argument):
    """The unit as a comment shows it."""
    unit = literal(argument)
    if unit is None:  # of a kind of coordinates: units_of(kind).stiffness
        parts = re.findall(r'"([^"]*)"|units_of\((\w+)\)\.(\w+)', argument)
        return " [unit: " + "".join(text or f"{quantity} of {kind}" for text, kind, quantity in parts) + "]"
    return {"": "", "1": " [-]"}.get(unit, f" [{unit}]")


def stated(text, code, start, visitor):
    """Field -> comment, of the body of a description that opens at `start`."""
    fields, end = {}, closing(code, start)
    call = re.compile(rf"\b{visitor}(?:\s*\.formerly\([^)]*\))?(?:\s*\.(\w+))?\s*\(")
    for found in call.finditer(code, start, end):
        given = parts_of(text, code, found.end(), closing(code, found.end() - 1))
        if found.group(1) == "formerly" or len(given) < 3 or literal(given[0]) is None:
            continue
        field = re.sub(r"^this->", "", given[1])
        if not re.fullmatch(r"\w+", field):
            continue
        with_unit = found.group(1) in (None, "finite", "positive", "not_negative", "derived") and len(given) > 3
        meaning = literal(given[3 if with_unit or found.group(1) == "keyed" else 2])
        if meaning:
            fields[field] = meaning + (unit_of(given[2]) if with_unit else "")
    return fields


def table(text):
    """Member -> meaning, of the tables of contracts in comments."""
    rows, place = {}, None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().lstrip("/").strip().strip("|").split("|")]
        if "member" in cells and "meaning" in cells:
            place = cells.index("member")
        elif not re.match(r"\s*/// \|", line):
            place = None
        elif place is not None and len(cells) > place + 1:
            for name in re.findall(r"`(?:[^`(]* )?(operator\(\)|\w+)(?:\([^`]*)?`", cells[place]):
                rows[name] = cells[place + 1]
    return rows


@functools.lru_cache(maxsize=None)
def sources():
    """The texts of the sources that have descriptions."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.cpp")))
    return [text for text in texts if "::describe" in text]


def elsewhere(name):
    """Field -> comment, of descriptions of the type `name` in the sources."""
    fields = {}
    for text in (text for text in sources() if f"{name}::describe" in text):
        code = blanked(text)
        for found in re.finditer(rf"\bvoid {name}::describe\w*\((?:Figures|Parameters)& (\w+)\)\s*\{{", code):
            fields.update(stated(text, code, found.end() - 1, found.group(1)))
    return fields


def statements(code, start, end):
    """Begin and end of each declaration directly in the body from `start` to `end`."""
    place = start
    while place < end:
        if code[place].isspace():
            place += 1
            continue
        access = re.compile(r"(public|protected|private)\s*:").match(code, place)
        if access:
            place = access.end()
            continue
        begin = place
        while place < end and code[place] != ";":
            if code[place] in OPEN:
                body = code[place] == "{"
                place = closing(code, place)
                if body and not re.match(r"\s*[;,}]", code[place + 1:place + 40]):
                    break
            place += 1
        place += 1
        yield begin, place


def comment_of(text, begin, end):
    """The comment of a declaration or None, the place where the declaration with it ends, True if it is above."""
    line_end = text.find("\n", end - 1)
    behind = re.match(r"\s*///<\s*(.*)", text[end:line_end])
    if behind:
        return behind.group(1), line_end, False
    above = []
    for line in reversed(text[:begin].splitlines()[:-1]):
        found = re.match(r"\s*///(?!<) ?(.*)", line)
        if not found:
            break
        above.insert(0, found.group(1))
    return " ".join(above) or None, end, bool(above)


def comments(text, path):
    """(place, end, new text) of what is put into the header."""
    code = blanked(text)
    contract = {}
    if "elements" in path.parts:
        contract.update(table(REQUIREMENTS.read_text(encoding="utf-8")))
    contract.update(table(text))
    for head in re.finditer(r"\b(?:struct|class)\s+(\w+)(?:\s*<[^;{]*>)?(?:\s+final)?\s*(?::[^;{]*)?\{", code):
        start, end = head.end() - 1, closing(code, head.end() - 1)
        fields = {}
        for found in re.finditer(r"\bvoid describe\w*\((?:Figures|Parameters)& (\w+)\)\s*(\{?)", code[start:end]):
            if found.group(2):
                fields.update(stated(text, code, start + found.end() - 1, found.group(1)))
            else:
                fields.update(elsewhere(head.group(1)))
        for begin, finish in statements(code, start + 1, end):
            if code.startswith(("using", "friend class", "static_assert"), begin):
                continue
            own, last, above = comment_of(text, begin, finish)
            declaration = code[begin:finish]
            variables = re.fullmatch(r"((?:\w|::|<[^;()]*>)+(?: const)?[&*]?) (\w+(?:[^;()]*|\s*=.*));", declaration,
                                     flags=re.S)
            function = re.match(r"(?:template\s*<.*?>\s+)?[^(=]*?\b(operator\(\)|\w+)\(", declaration, flags=re.S)
            constant = re.match(r"static constexpr .*?(\w+)\s*[={]", declaration)
            if variables and not constant:
                parts = parts_of(text, code, begin + len(variables.group(1)), finish - 1)
                names = [re.match(r"\w+", part).group() for part in parts]
                if own is None and any(name in fields for name in names) or own is not None and len(parts) > 1:
                    said = [own or fields.get(name) for name in names]
                    if above:
                        said[0] = None
                    yield begin, last, " ".join((f"/** {one} */ " if one else "") + f"{variables.group(1)} {part};"
                                                for one, part in zip(said, parts))
            elif own is None:
                known = (constant or function or [None, None])[1]
                said = next((EVERYWHERE[words] for words in EVERYWHERE if words in declaration), contract.get(known))
                if known == head.group(1):
                    initialised = re.findall(r"\b(\w+)\((\w+)\)", declaration)
                    said = " ".join(f"@param {argument} {fields[field]}" for field, argument in initialised
                                    if field in fields)
                if said:
                    yield begin, begin, f"/** {said} */ "


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).resolve().rglob("*.hpp")):
        text = path.read_text(encoding="utf-8")
        for begin, end, new in sorted(comments(text, path), reverse=True):
            text = text[:begin] + new + "\n" * text[begin:end].count("\n") + text[end:]
        copy = pathlib.Path(sys.argv[2] + str(path))
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
