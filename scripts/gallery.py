#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/gallery.py PROGRAM [NAME...] : the stills of docs/gallery.md and docs/elements, and the moving picture of the README.

Runs each mechanism that has a drawing (`PROGRAM list mechanisms`), opens its page in a browser without a window, and keeps
the picture of its middle as docs/pictures/gallery-NAME.png. `four_bar` stands for examples/four_bar.json: one turn of its
crank is docs/pictures/four_bar.png, an animated PNG. Elements with an arrangement in ELEMENTS are drawn as
docs/pictures/element-NAME.png. Needs chromium. Names: only these.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURES = os.path.join(SOURCE, "docs/pictures")
STILL = (420, 300)
MOVING = (400, 270)
FRAMES, SECONDS = 30, 3.0
SIZES = {"n_four_bar": "4"}  # fewer parts than usual, so that they can be seen

SMALL = (300, 190)

# Arrangements of elements: their blocks with kind and place, and their parameters; the start is made consistent.
POINTS = [("planar_point", (0.0, 0.0)), ("planar_point", (1.0, 0.3))]
BODIES = [("planar_body", (0.0, 0.0, 0.5)), ("planar_body", (0.9, 0.0, -0.5))]
SPATIAL = [("spatial_body", (0.0, 0.0, 0.0)), ("spatial_body", (1.0, 0.0, 0.0))]
TWO_ENDS = {"a": {"type": "BodyEnd", "point": [0.5, 0, 0], "axis": [0, 0, 1]},
            "b": {"type": "BodyEnd", "point": [-0.5, 0, 0], "axis": [0, 0, 1]}}
ALONG = {"a": {"type": "BodyEnd", "point": [0.5, 0, 0], "axis": [1, 0, 0], "x": [0, 0, 1]},
         "b": {"type": "BodyEnd", "point": [-0.5, 0, 0], "axis": [1, 0, 0], "x": [0, 0, 1]}}
APART = [("spatial_body", (0.0, 0.0, 0.0)), ("spatial_body", (1.8, 0.0, 0.3))]
ELEMENTS = {
    "UniformRod": (POINTS, {}),
    "LinearSpring": (POINTS, {}),
    "LinearDamper": (POINTS, {}),
    "Distance": (POINTS, {}),
    "DistanceToGround": ([("planar_point", (0.8, -0.6))], {}),
    "DistanceBetween": ([BODIES[0], ("planar_body", (1.9, 0.0, -0.5))],
                        {"a": {"type": "OnBody", "sx": 0.5}, "b": {"type": "OnBody", "sx": -0.5}}),
    "Revolute": (BODIES, {"s1x": 0.5, "s2x": -0.5}),
    "RevoluteToGround": (BODIES[:1], {"sx": -0.5, "ground_x": -0.45, "ground_y": -0.25}),
    "Coincidence": ([BODIES[0], ("planar_point", (0.45, 0.25))], {"a": {"type": "OnBody", "sx": 0.5}}),
    "Prismatic": ([("planar_body", (0.0, 0.0, 0.3)), ("planar_body", (0.9, 0.3, 0.3))], {"s1x": -0.5}),
    "PrismaticToGround": ([("planar_body", (0.6, 0.0, 0.0))], {}),
    "RollingDisc": ([("planar_body", (0.0, 0.3, 0.7))], {"R": 0.3}),
    "RollingDiscByRate": ([("planar_body", (0.0, 0.3, 0.7))], {"R": 0.3}),
    "KnifeEdge": ([("planar_body", (0.0, 0.0, 0.4))], {"sx": 0.3}),
    "SpatialSpringDamper": (APART, {**TWO_ENDS, "c": 1.0}),
    "SpatialDistance": (APART, TWO_ENDS),
    "SpatialSpherical": (SPATIAL, TWO_ENDS),
    "SpatialRevolute": (SPATIAL, TWO_ENDS),
    "SpatialUniversal": (SPATIAL, {"a": TWO_ENDS["a"], "b": {**TWO_ENDS["b"], "axis": [0, 1, 0], "x": [1, 0, 0]}}),
    "SpatialCylindrical": ([SPATIAL[0], ("spatial_body", (1.4, 0.0, 0.0))], ALONG),
    "SpatialPrismatic": ([SPATIAL[0], ("spatial_body", (1.4, 0.0, 0.0))], ALONG),
    "SpatialFixed": (SPATIAL, TWO_ENDS),
}
INERTIA = {"planar_point": ("PointMass", {}), "planar_body": ("PlanarRigidBody", {"I": 0.1}),
           "spatial_body": ("SpatialRigidBody", {"Jxx": 0.01, "Jyy": 0.085, "Jzz": 0.085})}

# The canvas of the page fills the window, and nothing else is shown.
ALONE = ("<style>body > * { visibility: hidden } canvas.scene { visibility: visible; position: fixed; inset: 0; z-index: 9; "
         "width: 100vw !important; height: 100vh !important; max-height: none !important; aspect-ratio: auto !important; "
         "background: #fff }</style>")


def page(program, mechanism, *options):
    """The text of the page of a run; None if nothing of the mechanism is drawn."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        done = subprocess.run([program, "run", mechanism, "--html", file, *options], capture_output=True, text=True, check=False)
        if not os.path.exists(file):
            raise SystemExit(f"{mechanism}: {done.stderr}")
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
    return text.replace("</head>", ALONE + "</head>") if data["scene"] else None


def picture(text, moment, size, file):
    """The scene at a moment between 0 and 1 of its run."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "page.html")
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text)
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--virtual-time-budget=3000", f"--window-size={size[0]},{size[1]}", f"--screenshot={file}",
                        f"file://{name}#t={moment:.4f}"], capture_output=True, timeout=120, check=True)


def chunks(data):
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pixels(file):
    """(width, height, rows of 4 bytes a pixel) of a PNG as chromium writes it: 8 bits, RGB or RGBA, not interlaced."""
    with open(file, "rb") as stream:
        parts = list(chunks(stream.read()))
    width, height, depth, colour = struct.unpack(">IIBB", parts[0][1][:10])
    if depth != 8 or colour not in (2, 6):
        raise SystemExit(f"{file}: not the kind of PNG that is expected")
    size = 4 if colour == 6 else 3
    raw = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    rows, above = [], bytearray(width * size)
    for y in range(height):
        line = raw[y * (width * size + 1):(y + 1) * (width * size + 1)]
        row = bytearray(line[1:])
        for i, value in enumerate(row):
            left = row[i - size] if i >= size else 0
            corner = above[i - size] if i >= size else 0
            if line[0] == 1:
                row[i] = (value + left) & 255
            elif line[0] == 2:
                row[i] = (value + above[i]) & 255
            elif line[0] == 3:
                row[i] = (value + (left + above[i]) // 2) & 255
            elif line[0] == 4:
                p = left + above[i] - corner
                near = min((abs(p - left), 0, left), (abs(p - above[i]), 1, above[i]), (abs(p - corner), 2, corner))
                row[i] = (value + near[2]) & 255
        above = row
        rows.append(b"".join(bytes(row[i:i + 3]) + b"\xff" for i in range(0, len(row), size)))
    return width, height, rows


def difference(rows, before):
    """The rows with what is as in the frame before left transparent."""
    return [b"".join(row[i:i + 4] if row[i:i + 4] != old[i:i + 4] else b"\0\0\0\0" for i in range(0, len(row), 4))
            for row, old in zip(rows, before)]


def animated(files, file, seconds):
    """Writes an animated PNG of these pictures, which repeats for ever."""
    frames = [pixels(each) for each in files]
    width, height, _ = frames[0]
    delay = round(1000 * seconds / len(frames))
    out = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
           chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number, before = 0, None
    for k, (_, _, rows) in enumerate(frames):
        out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, delay, 1000, 0, 1 if k else 0)))
        number += 1
        shown = rows if before is None else difference(rows, before)
        packed = zlib.compress(b"".join(b"\0" + row for row in shown), 9)
        if k == 0:
            out.append(chunk(b"IDAT", packed))
        else:
            out.append(chunk(b"fdAT", struct.pack(">I", number) + packed))
            number += 1
        before = rows
    out.append(chunk(b"IEND", b""))
    with open(file, "wb") as stream:
        stream.write(b"".join(out))


def four_bar(program):
    """One turn of the crank, 6 rad/s."""
    text = page(program, os.path.join(SOURCE, "examples/four_bar.json"), "--t-end", "1.0471975511965976")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k in range(FRAMES):
            files.append(os.path.join(folder, f"{k}.png"))
            picture(text, k / FRAMES, MOVING, files[-1])
        animated(files, os.path.join(PICTURES, "four_bar.png"), SECONDS)


def element(program, name):
    """One element between blocks that have inertia."""
    places, parameters = ELEMENTS[name]
    blocks, elements, start = [], [], {}
    for number, (kind, place) in enumerate(places, 1):
        block = f"{number}"
        blocks.append({"name": block, "kind": kind})
        inertia, values = INERTIA[kind]
        if name != "UniformRod":
            elements.append({"name": f"inertia {block}", "type": inertia, "blocks": [block], "parameters": values})
        coordinates = ("x", "y", "z", "e0") if kind == "spatial_body" else ("x", "y", "phi")
        start |= {f"{block}.{x}": value for x, value in zip(coordinates, (*place, 1.0) if kind == "spatial_body" else place)}
    elements.append({"name": name, "type": name, "blocks": [block["name"] for block in blocks], "parameters": parameters})
    model = {"name": name, "blocks": blocks, "elements": elements, "start": {"positions": start}, "simulation": {"t_end": 1e-3}}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.json")
        with open(file, "w", encoding="utf-8") as stream:
            json.dump(model, stream)
        text = page(program, file)
    if text is None:
        raise SystemExit(f"{name} is not drawn")
    picture(text, 0.0, SMALL, os.path.join(PICTURES, f"element-{name}.png"))
    print(name)


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    listed = subprocess.run([program, "list", "mechanisms"], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  (\w+) ", listed, re.M):
        if wanted and name not in wanted:
            continue
        text = page(program, name, *(("--size", SIZES[name]) if name in SIZES else ()))
        if text:
            picture(text, 0.3, STILL, os.path.join(PICTURES, f"gallery-{name}.png"))
        print(name, "" if text else "has no drawing")
    for name in ELEMENTS:
        if not wanted or name in wanted:
            element(program, name)
    if not wanted or "four_bar" in wanted:
        four_bar(program)


if __name__ == "__main__":
    main()
