#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of robot descriptions: imported, looked at, run for 0.1 s; a line of a table for each.

    scripts/robots.py PROGRAM FILE_OR_FOLDER...     PROGRAM: sunlagrange; of folders every .urdf, .sdf and .world

freedoms and redundant: degrees of freedom and rows that repeat others at the start. Exit code 1: the program crashed, refused
without a word, or took a link, a movable joint or an element of the XML neither over nor into its notes.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

# What docs/robots.md says is taken over; whatever else stands in a file has to be in the notes.
TAKEN = {
    "robot": {"link", "joint"},
    "link": {"inertial", "pose"},
    "inertial": {"origin", "mass", "inertia", "pose"},
    "inertia": {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"},
    "joint": {"origin", "parent", "child", "axis", "dynamics", "pose", "axis2"},
    "axis": {"xyz", "dynamics", "use_parent_model_frame"},  # the last: by sdformat, when it reads an old version
    "axis2": {"xyz", "dynamics", "use_parent_model_frame"},
    "dynamics": {"damping", "spring_stiffness", "spring_reference"},
    "sdf": {"world", "model"},
    "world": {"model", "gravity", "include"},
    "model": {"link", "joint", "static", "pose", "model", "frame"},
    "frame": {"pose"},
    "include": {"uri", "name", "pose"},  # by sdformat
}
JOINTS = re.compile(r"Spatial(Revolute|Prismatic|Spherical|Universal)")
REFUSED = 2
ENDS_OF_RUNS = (0, 3, 4)  # finished, not finished and reported, with doubts


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "", "took more than 300 s"
    return done.returncode, done.stdout, done.stderr


def shortened(text, size=110):
    return text if len(text) <= size else text[:size].rsplit(" ", 1)[0] + " ..."


def lost(element, model, notes):
    """What stands in the XML and neither in the model nor in the notes."""
    names = [entry["name"] for entry in model["blocks"] + model["elements"]]
    found = []
    for child in element:
        name = child.get("name", "")
        if child.tag not in TAKEN.get(element.tag, set()):
            no_friction = child.tag == "friction" and float(child.text or 1.0) == 0.0
            if f"<{child.tag}>" not in notes and not no_friction:
                found.append(f"<{child.tag}> of <{element.tag}>")
            continue
        moves = child.tag == "link" and name != "world" or child.tag == "joint" and child.get("type") != "fixed"
        if moves and f'"{name}"' not in notes and not any(re.search(rf"(^|::|\W){re.escape(name)}$", n) for n in names):
            found.append(f"{child.tag} {name}")
        found += lost(child, model, notes)
    return found


def loops_of(model):
    """Joints more than a tree of bodies and ground has."""
    root = {block["name"]: block["name"] for block in model["blocks"]}
    root["ground"] = "ground"

    def top(name):
        while root[name] != name:
            name = root[name]
        return name

    loops = 0
    for element in model["elements"]:
        if not JOINTS.match(element["type"]):
            continue
        ends = [block.split(".")[0] if block not in root else block for block in element["blocks"]]
        first, second = top(ends[0]), top(ends[1] if len(ends) > 1 else "ground")
        loops += first == second
        root[first] = second
    return loops


def judge(program, file, model_file):
    """(cells of the line, complaint)"""
    code, _, notes = run(program, "import", str(file), "-o", model_file)
    if code == REFUSED:
        reason = " ".join(notes.partition("sunlagrange: ")[2].split())
        reason = reason.replace(f"{file}: ", "").replace(str(file), file.name).replace("|", " ")
        return [""] * 6 + [f"refused: {shortened(reason)}"], "" if reason else "refused without a word"
    if code != 0:
        return [""] * 6 + ["import failed"], f"import ended with {code}: {notes[-300:]}"
    model = json.loads(pathlib.Path(model_file).read_text())
    text = re.sub(r"<\?xml.*?\?>", "", file.read_text())  # some have it behind a comment
    missing = lost(xml.fromstring(text), model, notes)
    left_out = sorted(set(re.findall(r"left out: (<[^>]*>|[^(:]*?) \(", notes)))
    joints = sum(1 for element in model["elements"] if JOINTS.match(element["type"]))
    cells = [str(len(model["blocks"])), str(joints), str(loops_of(model))]
    code, out, errors = run(program, "run", model_file, "--t-end", "0.1", "--mobility", "--json")
    try:
        result = json.loads(out)["runs"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        return cells + ["", "", "", "run failed"], f"run ended with {code}: {errors[-300:]}"
    mobility = result.get("mobility") or {}
    cells += [str(mobility.get("degrees_of_freedom", "")), str(mobility.get("redundant", "")), f"`{' '.join(left_out)}`" if left_out else ""]
    cells += [f"{result['status']}, {result['steps']} steps"]
    complaint = "" if code in ENDS_OF_RUNS else f"run ended with {code}"
    if missing:
        complaint = f"in the file, but nowhere else: {', '.join(sorted(set(missing)))}"
    return cells, complaint


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, files = sys.argv[1], []
    for place in map(pathlib.Path, sys.argv[2:]):
        files += sorted(f for f in place.rglob("*") if f.suffix in (".urdf", ".sdf", ".world")) if place.is_dir() else [place]
    print("| description | bodies | joints | loops | freedoms | redundant | left out | 0.1 s |")
    print("|---|---|---|---|---|---|---|---|")
    troubles, converted, finished, refused = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            cells, complaint = judge(program, file, f"{folder}/model.json")
            print(f"| {file.parent.name}/{file.name} | " + " | ".join(cells) + " |", flush=True)
            converted += cells[0] != ""
            finished += cells[-1].startswith("finished")
            refused += cells[-1].startswith("refused")
            if complaint:
                troubles.append(f"{file}: {complaint}")
    print(f"\n{len(files)} descriptions: {converted} converted, {finished} of them finished, {refused} refused")
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    sys.exit(1 if troubles or not files else 0)


if __name__ == "__main__":
    main()
