#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/theory_pictures.py PROGRAM [NAME ...]

Draws docs/pictures/theory-*.svg, one for each page of docs/theory and one for the tutorial, from runs of PROGRAM (a built
sunlagrange-bench) and small computations below; only the named functions, if there are names. Needs gnuplot, and for
`events` the Python package. Style and size are those of the pictures that PROGRAM itself draws.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

PICTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "pictures")


def bench(*arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3, 4):  # failures and doubts of single runs are what some pictures show
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def compared(*arguments):
    return json.loads(bench("compare", *arguments, "--json"))["runs"]


def table(name, rows):
    with open(f"{folder}/{name}.dat", "w", encoding="utf-8") as file:
        file.writelines(" ".join(repr(value) for value in row) + "\n" for row in rows)
    return f"'{name}.dat'"


def draw(name, height_mm, body):
    """The first lines, with the page 85 mm wide, are those of a picture of the program."""
    with open(f"{folder}/stability.gp", encoding="utf-8") as file:
        prelude = next(line for line in file if line.startswith("set terminal"))
    size = f"size {85 / 25.4 * 96:.0f},{height_mm / 25.4 * 96:.0f}"
    words = prelude.split(" ")
    words[words.index("size") + 1] = size.split(" ")[1]
    script = f"load 'style.gp'\n{' '.join(words)}set output 'theory-{name}.svg'\n{body}\nunset output\n"
    with open(f"{folder}/{name}.gp", "w", encoding="utf-8") as file:
        file.write(script)
    subprocess.run(["gnuplot", f"{name}.gp"], cwd=folder, check=True)
    keep(f"theory-{name}.svg", f"theory-{name}.svg")


def keep(drawn, name):
    shutil.copy(f"{folder}/{drawn}", f"{PICTURES}/{name}")
    print(f"docs/pictures/{name}")


def lines(curves, style="with linespoints pointsize 0.5"):
    return "plot " + ", \\\n  ".join(
        f"{source} using 1:2 {style} linetype {number} title '{title}'"
        for number, (title, source) in enumerate(curves, 1))


def gains_and_step():
    bench("stability", "pendulum", "--integrator", "rk1,rk2,rk4", "--format", "svg", "--out", folder)
    keep("stability.svg", "theory-gains-and-step.svg")


def rank():
    bench("figures", "two_link", "--format", "svg", "--out", folder)
    keep("figure2.svg", "theory-rank-and-singular-poses.svg")


def drift():
    curves = []
    for form in ("unstabilized", "index2", "baumgarte", "ggl", "projected"):
        bench("run", "pendulum", "--t-end", "100", "--rtol", "1e-6", "--formulation", form, "--csv", f"{folder}/run.csv",
              "--every", "20")
        with open(f"{folder}/run.csv", encoding="utf-8") as file:
            rows = [[float(word) for word in line.split(",")[:3]] for line in list(file)[1:]]
        # Rounding is drawn at 1e-17, where the axis ends.
        g = [(t, max(1e-17, abs(0.5 * (x * x + y * y - 1.0)))) for t, x, y in rows if t > 0.1]
        curves.append((form.replace("_", "\\_"), table(form, g)))
    draw("drift", 65, "set logscale xy\nset format y '10^{%L}'\nset yrange [1e-17:1]\nset xlabel 'time [s]'\n"
         "set ylabel '|x^2 + y^2 - 1| / 2  [m^2]'\nset key outside bottom center horizontal maxcols 3\n"
         "set title 'pendulum, rtol 1e-6'\n" + lines(curves, "with lines"))


def index_and_ida():
    runs = compared("andrews", "--formulations", "index3,index2,ggl,stabilized_index1,index1", "--integrators", "ida",
                    "--rtols", "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8")
    names = sorted({(run["formulation"], bool(run["baseline"])) for run in runs})
    curves, failed = [], 0
    for form, baseline in names:
        mine = [run for run in runs if (run["formulation"], bool(run["baseline"])) == (form, baseline)]
        points = [(run["rtol"], run["steps"]) for run in mine if run["status"].startswith("finished")]
        failed += len(mine) - len(points) if baseline else 0
        if points and not baseline:
            curves.append((form.replace("_", "\\_"), table(f"ida_{form}", points)))
    draw("index-and-ida", 60, "set logscale xy\nset format x '10^{%L}'\nset xrange [2e-3:5e-9]\nset xlabel 'rtol'\n"
         "set ylabel 'steps'\nset key outside bottom center horizontal maxcols 3\n"
         f"set title 'Andrews mechanism, IDA; as shipped: {failed} of "
         f"{sum(1 for run in runs if run['baseline'])} runs stop'\n" + lines(curves))


def balances():
    curves = []
    for form in ("baumgarte", "projected", "penalty", "ggl"):
        runs = compared("andrews", "--formulations", form, "--no-baselines", "--rtols", "1e-4,1e-5,1e-6,1e-7,1e-8,1e-9",
                        "--integrators", "ida" if form == "ggl" else "dopri5")
        points = [(run["rtol"], run["energy_drift"]) for run in runs if run["status"].startswith("finished")]
        curves.append((form, table(f"drift_{form}", points)))
    draw("balances", 60, "set logscale xy\nset format '10^{%L}'\nset xrange [2e-4:5e-10]\nset xlabel 'rtol'\n"
         "set ylabel 'energy drift [J]'\nset key outside bottom center horizontal maxcols 4\n"
         "set title 'Andrews mechanism: what the numerics brought in'\n" + lines(curves))


def choosing():
    curves = []
    for form, integrator in (("baumgarte", "dopri5"), ("baumgarte", "cvode_bdf"), ("projected", "dopri5"), ("ggl", "ida"),
                             ("index2", "radau")):
        runs = compared("andrews", "--formulations", form, "--integrators", integrator, "--no-baselines", "--rtols",
                        "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8")
        points = [(run["error_vs_reference"], run["rhs_evaluations"]) for run in runs
                  if run["status"].startswith("finished") and run["error_vs_reference"]]
        curves.append((f"{form}, {integrator}".replace("_", "\\_"), table(f"{form}_{integrator}", points)))
    draw("choosing", 65, "set logscale xy\nset format x '10^{%L}'\nset xrange [*:*] reverse\nset xlabel 'error of q at the end'\n"
         "set ylabel 'evaluations'\nset key outside bottom center horizontal maxcols 2\n"
         "set title 'Andrews mechanism: what a digit costs'\n" + lines(curves))


def saddle_point_system():
    """Pattern of the matrix of a chain of six planar rods, as written and with each joint after its bodies."""
    rods = 6
    size = 3 * rods + 2 * rods
    body = lambda i: list(range(3 * i, 3 * i + 3))
    joint = lambda j: list(range(3 * rods + 2 * j, 3 * rods + 2 * j + 2))
    entries = []
    for i in range(rods):
        entries += [(k, k, 1) for k in body(i)]
        for j in (i, i + 1):
            if j < rods:
                entries += [(row, k, 2) for row in joint(j) for k in body(i)]
    entries += [(k, row, kind) for row, k, kind in entries if row != k]
    order = [k for i in range(rods) for k in body(i) + joint(i)]
    place = {k: number for number, k in enumerate(order)}
    written = table("written", entries)
    reordered = table("reordered", [(place[row], place[k], kind) for row, k, kind in entries])
    panel = (f"set size ratio -1\nunset key\nset xrange [-1:{size}]\nset yrange [{size}:-1]\nunset tics\nunset grid\n")
    plots = "".join(f"set title '{title}'\nplot {source} using 2:1:($3 == 1 ? 1 : 2) with points pointtype 5 pointsize 0.35 "
                    "linecolor variable\n"
                    for title, source in (("as written", written),
                                          ("each joint after its body", reordered)))
    draw("saddle-point-system", 48, panel + "set multiplot layout 1,2\n" + plots + "unset multiplot")


def sensitivities():
    """How the pendulum of the other pages answers to its length and to a push, over time."""
    found = json.loads(bench("sensitivities", "pendulum", "--parameter", "rod.L", "--start-velocity", "bob[1]", "--rtol", "1e-8",
                             "--t-end", "10", "--points", "401", "--json"))
    columns = [table(f"sensitivity{k}", [(point["t"], point["dq"][k][0]) for point in found["points"]]) for k in range(2)]
    draw("sensitivities", 55, "set xlabel 'time [s]'\nset ylabel 'dx/dL [m/m]'\nset y2label 'dx/dw [m / (m/s)]'\n"
         "set ytics nomirror\nset y2tics\nset key outside bottom center horizontal\n"
         "set title \"pendulum: how x answers to its length L\\nand to w, y' at the start\"\n"
         f"plot {columns[0]} with lines linetype 1 title 'dx/dL, left', "
         f"{columns[1]} axes x1y2 with lines linetype 2 title 'dx/dw, right'")


def start_values():
    """A bead on an ellipse: the guess moves to the nearest point, or along y where x is held."""
    a, b, guess = 1.0, 0.6, (0.75, 0.75)
    curve = table("ellipse", [(a * math.cos(s), b * math.sin(s)) for s in (k * math.pi / 100 for k in range(-5, 56))])
    x, y = guess
    path = [guess]
    for _ in range(8):
        # Gauss-Newton: smallest step onto the linearised constraint, then along it towards the guess.
        g, gx, gy = (x / a) ** 2 + (y / b) ** 2 - 1, 2 * x / a ** 2, 2 * y / b ** 2
        along = ((guess[0] - x) * -gy + (guess[1] - y) * gx) / (gx * gx + gy * gy)
        x, y = x - g * gx / (gx * gx + gy * gy) - along * gy, y - g * gy / (gx * gx + gy * gy) + along * gx
        path.append((x, y))
    held = (guess[0], b * math.sqrt(1 - (guess[0] / a) ** 2))
    draw("start-values", 55, "set size ratio -1\nset xlabel 'x'\nset ylabel 'y'\nset xrange [0.2:1.15]\nset yrange [0:0.85]\nset xtics 0.2\nset ytics 0.2\n"
         "set key outside bottom center horizontal maxcols 2\n"
         f"plot {curve} with lines linetype 7 title 'g(x, y) = 0', "
         f"{table('nearest', [path[0], path[-1]])} with linespoints linetype 1 pointtype 7 pointsize 0.6 title 'nearest state', "
         f"{table('held', [guess, held])} with linespoints linetype 2 pointtype 7 pointsize 0.6 title 'x held', "
         f"{table('guess', [guess])} with points linetype 3 pointtype 7 pointsize 0.9 title 'as given'")


def friction():
    """A block that slides to rest, and one that a load of half its friction pulls."""
    curves = []
    for rate, load in ((0.2, 0), (0.02, 0), (0.2, 0.5), (0.02, 0.5)):
        model = {"blocks": [{"name": "x", "kind": "translation"}],
                 "elements": [{"name": "mass", "type": "SlidingMass", "blocks": ["x"], "parameters": {"inertia": 1}},
                              {"name": "friction", "type": "AxialFrictionToGround", "blocks": ["x"],
                               "parameters": {"F": 3, "v_r": rate}},
                              {"name": "load", "type": "AxialForce", "blocks": ["x"],
                               "parameters": {"law": {"type": "ConstantEffort", "value": 3 * load}}}],
                 "start": {"velocities": {"x": 1}}, "simulation": {"t_end": 1}}
        with open(f"{folder}/block.json", "w", encoding="utf-8") as file:
            json.dump(model, file)
        bench("run", f"{folder}/block.json", "--rtol", "1e-8", "--csv", f"{folder}/block.csv", "--output-step", "0.005")
        with open(f"{folder}/block.csv", encoding="utf-8") as file:
            rows = [[float(word) for word in line.split(",")] for line in list(file)[1:]]
        title = f"v_r = {rate} m/s" + (", load F/2" if load else "")
        curves.append((title, table(f"block_{rate}_{load}", [(row[0], row[2]) for row in rows])))
    draw("friction", 60, "set xlabel 'time [s]'\nset ylabel 'rate [m/s]'\nset yrange [0:]\nset key outside bottom center horizontal maxcols 2\n"
         "set title 'a block of 1 kg slides to rest, friction F = 3 N'\n" + lines(curves, "with lines"))


def toggle(load):
    """Two bars of 1 m over a knee that a load presses down, to a slider that a spring of 100 N/m pushes in."""
    rest = 0.5
    model = {"blocks": [{"name": "knee", "kind": "planar_point"}, {"name": "slider", "kind": "planar_point"}],
             "elements": [{"name": "mass of the knee", "type": "PointMass", "blocks": ["knee"]},
                          {"name": "mass of the slider", "type": "PointMass", "blocks": ["slider"]},
                          {"name": "left bar", "type": "DistanceToGround", "blocks": ["knee"]},
                          {"name": "right bar", "type": "Distance", "blocks": ["knee", "slider"]},
                          {"name": "guide", "type": "PrescribedCoordinate", "blocks": ["slider.y"],
                           "parameters": {"law": {"type": "Constant", "value": 0}}},
                          {"name": "spring", "type": "AxialSpringToGround", "blocks": ["slider.x"],
                           "parameters": {"k": 100, "rest": 2 * math.cos(rest)}},
                          {"name": "load", "type": "AxialForce", "blocks": ["knee.y"],
                           "parameters": {"law": {"type": "ConstantEffort", "value": -load}}}],
             "start": {"positions": {"knee.x": math.cos(rest), "knee.y": math.sin(rest), "slider.x": 2 * math.cos(rest)}},
             "simulation": {"t_end": 1}}
    with open(f"{folder}/toggle.json", "w", encoding="utf-8") as file:
        json.dump(model, file)
    return json.loads(bench("equilibrium", f"{folder}/toggle.json", "--starts", "30", "--json"))["equilibria"]


def toggle_under_load():
    """The pictures of equilibria and of modes: states at rest over the load, and their slowest frequency."""
    stable, unstable, above, below = [], [], [], []
    for k in range(1, 40):
        load = 0.25 * k + (0.0 if k < 38 else 0.1)
        for found in toggle(load):
            x, y = found["q"][:2]
            angle = math.degrees(math.atan2(y, x))
            if abs(angle) > 60:
                continue
            (stable if found["stability"] == "stable" else unstable).append((load, angle))
            if found["stability"] == "stable":
                (above if angle > 0 else below).append((load, max(abs(mu[1]) for mu in found["eigenvalues"]) / 2 / math.pi))
    points = "with points pointtype 7 pointsize 0.4"
    draw("equilibria", 60, "set xlabel 'load [N]'\nset ylabel 'angle of the bars [deg]'\n"
         "set key outside bottom center horizontal\nset title 'a toggle: two bars over a knee'\n"
         + lines([("stable", table("stable", stable)), ("unstable", table("unstable", unstable))], points))
    draw("modes", 55, "set xlabel 'load [N]'\nset ylabel 'frequency [Hz]'\nset yrange [0:*]\n"
         "set key outside bottom center horizontal\nset title 'the toggle, about its stable equilibria'\n"
         + lines([("knee above", table("above", above)), ("knee below", table("below", below))], points))


def kinematics():
    """Crank and rod over the slider that drives them: two branches, joined at the dead point."""
    found = json.loads(bench("kinematics", "slider_crank", "--coordinate", "x", "--from", "0.6", "--to", "1.6", "--points", "81",
                             "--dead-points", "1", "--json"))
    dead = [end for branch in found["branches"] for end in [branch["dead_point"]] if end]
    # Between the last value of the grid and the dead point the curve is a parabola with that vertex.
    branches = [[(p["s"], p["q"][0]) for p in branch["points"] if dead[0]["s"] - p["s"] > 1e-6] for branch in found["branches"]]
    for branch, end in ((branches[0], -1), (branches[1], 0)):
        (s, q), (turn, vertex) = branch[end], (dead[0]["s"], dead[0]["q"][0])
        way = [(turn + (s - turn) * k * k / 100, vertex + (q - vertex) * k / 10) for k in range(10)]
        branch[:] = branch + way[::-1] if end else way + branch
    curves = [(f"branch {number}", table(f"branch{number}", branch)) for number, branch in enumerate(branches, 1)]
    draw("kinematics", 60, "set xlabel 'slider [m]'\nset ylabel 'crank [rad]'\nset key outside bottom center horizontal\n"
         "set title 'slider-crank driven at the slider'\n" + lines(curves, "with lines")
         + f", \\\n  {table('dead', [(end['s'], end['q'][0]) for end in dead])} with points linetype 3 pointtype 7 "
         "pointsize 0.7 title 'dead point'")


def workspaces():
    found = json.loads(bench("workspace", "chain", "--size", "2", "--point", "rod 2", "--offset", "0.5,0",
                             "--drive", "rod 1.phi=-1.2:1.2:25", "--drive", "rod 2.phi=-1.5:2.5:41", "--json"))
    places = [p["place"] for p in found["points"] if p["place"]]
    ends = [b["place"] for b in found["boundary"] if b["kind"] == "singular"]
    draw("workspaces", 75, "set size ratio -1\nset xlabel 'x [m]'\nset ylabel 'y [m]'\n"
         "set key outside bottom center horizontal\nset title 'tip of two rods of 1 m: -1.2 ... 1.2 rad, -1.5 ... 2.5 rad'\n"
         + lines([("reached", table("places", places))], "with points pointtype 7 pointsize 0.2")
         + f", \\\n  {table('ends', ends)} with points linetype 2 pointtype 7 pointsize 0.4 title 'singular'")


def identification():
    """Stiffness and damping of a torsional oscillator from an angle measured with noise."""
    noise = random.Random(1)
    model = {"blocks": [{"name": "phi", "kind": "rotation"}],
             "elements": [{"name": "inertia", "type": "Flywheel", "blocks": ["phi"], "parameters": {"inertia": 1}},
                          {"name": "spring", "type": "TorsionSpringToGround", "blocks": ["phi"], "parameters": {"k": 9}},
                          {"name": "damper", "type": "RotationalDamperToGround", "blocks": ["phi"], "parameters": {"c": 0.2}}],
             "start": {"positions": {"phi": 0.5}}, "simulation": {"t_end": 6}}

    def curve(name, k, c):
        model["elements"][1]["parameters"]["k"], model["elements"][2]["parameters"]["c"] = k, c
        with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
            json.dump(model, file)
        bench("run", f"{folder}/{name}.json", "--rtol", "1e-8", "--csv", f"{folder}/{name}.csv", "--output-step", "0.05")
        with open(f"{folder}/{name}.csv", encoding="utf-8") as file:
            return [tuple(float(word) for word in line.split(",")[:2]) for line in list(file)[1:]]

    measured = [(t, phi + noise.gauss(0, 0.03)) for t, phi in curve("true", 9, 0.2)[::2]]
    guessed = curve("guess", 7, 0.5)
    with open(f"{folder}/measured.csv", "w", encoding="utf-8") as file:
        file.writelines(["t,phi\n"] + [f"{t!r},{phi!r}\n" for t, phi in measured])
    found = json.loads(bench("identify", f"{folder}/guess.json", "--data", f"{folder}/measured.csv", "--output", "phi",
                             "--hold", "phi", "--parameter", "spring.k", "--parameter", "damper.c", "--json"))
    k, c = [p["value"] for p in found["parameters"]]
    fitted = curve("fitted", k, c)
    draw("identification", 60, "set xlabel 'time [s]'\nset ylabel 'angle [rad]'\n"
         "set key outside bottom center horizontal\n"
         f"set title \"torsional oscillator, fitted: k = {k:.2f} N m/rad (true: 9),\\nc = {c:.2f} N m s/rad (true: 0.2)\"\n"
         f"plot {table('measured', measured)} with points linetype 7 pointtype 7 pointsize 0.25 title 'measured', "
         f"{table('guessed', guessed)} with lines linetype 2 title 'guess', "
         f"{table('fitted', fitted)} with lines linetype 1 title 'fitted'")


def error_estimate():
    """Estimated error of a run along it, and what a run at 1e-12 says."""
    def rows(*arguments):
        bench("run", "pendulum", "--t-end", "10", "--integrator", "dopri5", "--output-step", "0.05", *arguments, "--csv",
              f"{folder}/run.csv")
        with open(f"{folder}/run.csv", encoding="utf-8") as file:
            names, *values = [line.strip().split(",") for line in file]
        return names, [[float(word) for word in row] for row in values]

    names, estimated = rows("--rtol", "1e-6", "--error-estimate")
    _, exact = rows("--rtol", "1e-12")
    first = next(k for k, name in enumerate(names) if name.startswith("error"))
    curves = [("true", table("true", [(a[0], max(1e-12, abs(a[1] - b[1]))) for a, b in zip(estimated, exact) if a[0] > 0])),
              ("estimated", table("estimated", [(a[0], max(1e-12, a[first])) for a in estimated if a[0] > 0]))]
    draw("error-estimate", 60, "set logscale y\nset format y '10^{%L}'\nset yrange [1e-9:1e-3]\nset xlabel 'time [s]'\n"
         "set ylabel 'error of x [m]'\nset key outside bottom center horizontal\n"
         "set title 'pendulum, Dormand-Prince, rtol 1e-6'\n" + lines(curves, "with lines"))


def events():
    """A pendulum that bounces off a wall below its pivot; by the Python package, for models of the program have no events."""
    import sunlagrange as sl
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=1.0), bob)
    model.add("weight", sl.UniformGravity(m=1.0), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    model.add("wall", sl.PrescribedCoordinate(law=sl.Constant(value=0.0)), bob.x)
    run = sl.simulate(model, t_end=5.0, positions={"bob.x": 1.0}, events=[sl.Event.impact("wall", 0.7)],
                      record=[k / 200 for k in range(1001)])
    draw("events", 50, "set xlabel 'time [s]'\nset ylabel 'gap [m]'\nset yrange [0:]\nunset key\n"
         "set title 'a pendulum bounces off a wall, restitution 0.7'\n"
         + lines([("gap", table("gap", zip(run.t.tolist(), run["bob.x"].tolist())))], "with lines"))


PICTURES_OF = (gains_and_step, rank, drift, index_and_ida, balances, choosing, saddle_point_system, start_values, friction,
               sensitivities, toggle_under_load, kinematics, workspaces, identification, error_estimate, events)
known = {picture.__name__: picture for picture in PICTURES_OF}
if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(known):
    sys.exit(__doc__ + "\nNames: " + ", ".join(known))
program = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    bench("stability", "pendulum", "--integrator", "rk1", "--format", "svg", "--out", folder)  # style and prelude of all
    for name in sys.argv[2:] or known:
        known[name]()
