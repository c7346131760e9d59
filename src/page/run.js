// SPDX-License-Identifier: BSD-3-Clause
// The page of one run: what the motion does first, then how well it is known.

(function () {
  const d = JSON.parse(document.getElementById("data").textContent), f = d.figures, page = document.getElementById("page");
  const finished = d.outcome === "finished", doubtful = d.doubts.length > 0;
  const c = d.curves, marks = d.marks, planar = !d.scene || d.scene.planar;
  const fact = (name, value, more) => el("div", {}, el("span", {}, name), value, more ? el("small", {}, more) : null);
  const with_unit = (x, unit) => fmt(x) + (unit && unit !== "1" ? " " + unit : "");
  const at = t => "at " + fmt(t, 4) + " s";
  const show = (...parts) => page.append(...parts.flat(Infinity).filter(part => part !== null && part !== undefined));
  const soft = (...words) => el("p", {class: "soft"}, ...words);

  // Long tables open on a click.
  const folded = (node, count, what) => count <= 15 ? node : el("details", {}, el("summary", {}, count + " " + what), node);

  // The answers that an engineer looks for.
  const largest = (list, key) => list.reduce((a, b) => a === null || Math.abs(b[key][0]) > Math.abs(a[key][0]) ? b : a, null);
  const joints = d.joints ? d.joints.list : [], drives = d.drives ? d.drives.list : [];
  const pulled = largest(joints, "largest_force");
  const turned = largest(joints.filter(j => j.about === "the joint" && j.largest_torque[0] > j.torque_bound), "largest_torque");
  const answers = [];
  if (pulled && pulled.largest_force[0] > 0)
    answers.push(fact("largest joint force", with_unit(pulled.largest_force[0], "N"), pulled.joint + " on " + pulled.body + ", " + at(pulled.largest_force[1])));
  if (turned)
    answers.push(fact("largest joint torque", with_unit(turned.largest_torque[0], "N m"), turned.joint + " on " + turned.body + ", " + at(turned.largest_torque[1])));
  for (const drive of drives.slice(0, 4)) {
    if (drive.unit) answers.push(fact(drive.name + ", largest", with_unit(drive.largest_effort[0], drive.unit), at(drive.largest_effort[1])));
    answers.push(fact("power of " + drive.name, with_unit(drive.least_power[0], "") + " … " + with_unit(drive.largest_power[0], "W"),
      Math.abs(drive.least_power[0]) > drive.largest_power[0] ? "takes most " + at(drive.least_power[1]) : "gives most " + at(drive.largest_power[1])));
  }
  const [stored, dissipated, supplied, prescribed] = d.balance ? d.balance.rows[d.balance.rows.length - 1].slice(1) : [];
  const rounding = d.balance ? d.balance.unresolved : 0, balanced = d.balance && rounding < d.balance.turnover;
  const energies = d.balance ? [["stored", stored], ["dissipated", dissipated], [(supplied < 0 ? "taken out" : "put in") + " by forces", Math.abs(supplied)],
    [(prescribed < 0 ? "taken out" : "put in") + " by prescribed motions", Math.abs(prescribed)]]
    .filter(([, x]) => Math.abs(x) > rounding) : [];
  if (d.balance && !balanced)
    answers.push(fact("energy", "not known", with_unit(Math.abs(d.balance.residual), "J") + " came or went without work"));
  else if (d.balance)
    answers.push(fact("energy", energies.length ? energies.map(([name, x]) => name + " " + with_unit(x, "J")).join(", ") : "conserved up to " + with_unit(Math.abs(d.balance.residual), "J"),
                      with_unit(d.balance.turnover, "J") + " changed hands"));
  else if (f.energy_drift !== null) answers.push(fact("energy", "up to " + with_unit(f.energy_held, "J"), "drift " + with_unit(f.energy_drift, "J")));
  for (const [name, unit, low, , high, , rate, , rate_unit] of d.ranges.slice(0, d.ranges.length > 4 ? 0 : 4))
    answers.push(fact(name, fmt(low) + " … " + with_unit(high, unit), "rate up to " + with_unit(Math.abs(rate), rate_unit)));

  show(
    el("h1", {}, d.title),
    el("div", {class: "verdict" + (finished ? doubtful ? " doubts" : "" : " failed")},
      el("b", {}, finished ? doubtful ? "Finished, with doubts" : "Finished" : "Not finished: " + d.outcome.replace("_", " ")),
      el("p", {}, fmt(f.t_start, 4) + " … " + fmt(f.t_reached, 6) + " s" +
        (f.t_reached < f.t_end ? " of " + fmt(f.t_end, 6) + " s" : "") + " in " + (f.wall_seconds < 1 ? fmt(1000 * f.wall_seconds) + " ms" : fmt(f.wall_seconds) + " s") + " (wall)"),
      d.message ? el("p", {}, d.message) : null,
      d.doubts.map(text => el("p", {}, "Doubt: " + text))),
    el("div", {class: "facts"}, answers));

  show(section("Motion", d.scene ? makeScene(d.scene, d.marks, d.joints)
    : soft("Nothing to look at: no element of this model has a place in space, or the model has no member draw " +
         "(void draw(double t, View<const double> q, Drawing& d) const, model/drawing.hpp).")));

  // Curves of components; those within the rounding are shown as zero.
  const components = (title, x, list, bound, unit, t) => {
    const size = y => Math.max(0, ...y.map(v => v === null ? 0 : Math.abs(v)));
    const seen = list.filter(s => size(s.y) > bound), zero = list.filter(s => size(s.y) <= bound).map(s => s.name);
    const words = zero.length ? zero.join(", ") + (zero.length > 1 ? " are 0" : " is 0") + (bound > 0 ? ", up to the accuracy of the run (" + fmt(bound, 1) + " " + unit + ")." : ".") : null;
    return seen.length ? chart({title, x: t, series: seen, marks, time: true, ylabel: unit, note: words})
      : el("div", {class: "card"}, el("h3", {}, title), soft(words));
  };
  if (d.joints) {
    const j = d.joints, place = el("div", {class: "grid"});
    const names = j.list.map((x, i) => el("option", Object.assign({value: i}, x === pulled ? {selected: ""} : {}), x.joint + " on " + x.body));
    const keys = planar ? [["Fx", "Fy"], ["Mz"]] : [["Fx", "Fy", "Fz"], ["Mx", "My", "Mz"]];
    const select = el("select", {"aria-label": "joint", onchange: () => draw()}, names);
    const draw = () => {
      const x = j.list[Number(select.value)];
      const curves = (list, unit) => list.map(k => ({name: k, unit, y: x[k], colour: colours["xyz".indexOf(k[1])]}));
      place.replaceChildren(
        components("Force of " + x.joint + " on " + x.body + ", ground axes", x, curves(keys[0], "N"), x.force_bound, "N", j.t),
        components("Torque about " + x.about, x, curves(keys[1], "N m"), x.torque_bound, "N m", j.t));
    };
    const or_zero = (x, bound) => x > bound ? x : 0;
    const rows = j.list.map(x => [x.joint, x.body, or_zero(x.largest_force[0], x.force_bound), x.largest_force[0] > x.force_bound ? x.largest_force[1] : "",
      or_zero(x.largest_torque[0], x.torque_bound), x.about, x.unique ? "yes" : "no"]);
    show(section("Joint forces", soft("What each joint does to each body; largest values over " +
        (j.t.length < j.states ? j.t.length + " of the " + j.states + " recorded states" : "the run") + "." +
        (j.list.every(x => x.unique) ? "" : " Redundant joints share a load in a way that the motion does not determine: those that are not unique have the least forces that fit.")),
      folded(table([{name: "joint", left: true}, {name: "on", left: true}, {name: "largest force [N]", derived: true}, {name: "at t [s]", digits: 4},
                    {name: "largest torque [N m]", derived: true}, {name: "torque about", left: true}, {name: "unique", left: true}], rows), rows.length, "rows"),
      el("p", {}, "Curves of ", select), place));
    draw();
  } else if (c.multipliers.length > 0) {
    show(section("Multipliers", soft("λ by row; the force on the coordinates is −Gᵀλ."),
      el("div", {class: "grid"}, chart({x: c.t, series: c.multipliers, marks, time: true, shown: 6,
        note: c.multipliers.length < c.m ? "The first " + c.multipliers.length + " of " + c.m + "." : null}))));
  }

  if (d.drives) {
    const units = [...new Set(drives.map(x => x.unit).filter(Boolean))];
    show(section("Drives", soft("What prescribed motions and applied forces do to the mechanism; power is positive where they give it."),
      el("div", {class: "grid"},
        units.map(unit => chart({title: {"N m": "Torque", N: "Force", V: "Voltage", Pa: "Pressure"}[unit] || "Effort", x: d.drives.t, marks, time: true, ylabel: unit,
          series: drives.filter(x => x.unit === unit).map(x => ({name: x.name, unit, y: x.effort}))})),
        chart({title: "Power", x: d.drives.t, marks, time: true, ylabel: "W", series: drives.map(x => ({name: x.name, unit: "W", y: x.power}))}))));
  }

  // Coordinates: a chart for each unit; angles beyond a turn would flatten the others.
  const range = s => s.y.reduce(([low, high], v) => v === null ? [low, high] : [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
  const width = s => { const [low, high] = range(s); return high > low ? high - low : 0; };
  const e = c.errors, note = e ? "Bands: the estimated error, where it is wider than the line." : null;
  const by_unit = (list, all, names) => {
    const kinds = [];
    for (const s of list) {
      const key = s.unit + (s.unit === "rad" && width(s) > 2 * Math.PI ? ", turning" : "");
      const kind = kinds.find(k => k.key === key);
      if (kind) kind.list.push(s);
      else kinds.push({key, unit: s.unit, list: [s]});
    }
    return kinds.map(kind => {
      const many = kind.list.length > 6, series = many ? kind.list.slice().sort((a, b) => width(b) - width(a)) : kind.list;
      const notes = [many ? "The six that move most are drawn; the legend has " + (list.length < all ? "those of the first " + list.length + " coordinates." : "all.") : null, note];
      return chart({title: names[kind.key] || names[kind.unit] || names[""] + (kind.unit ? " [" + kind.unit + "]" : ""), x: c.t, series, marks, time: true,
                    shown: 6, ylabel: kind.unit === "1" ? "" : kind.unit, note: notes.filter(Boolean).join(" ") || null});
    });
  };
  const ranges = table([{name: "coordinate", left: true}, {name: "unit", left: true}, {name: "least"}, {name: "at t [s]", digits: 4}, {name: "largest"}, {name: "at t [s]", digits: 4},
                        {name: "largest rate"}, {name: "at t [s]", digits: 4}, {name: "its unit", left: true}],
                       d.ranges.map(([name, unit, ...rest]) => [name, unit, ...rest]));
  show(section("Coordinates", d.ranges.length ? folded(ranges, d.ranges.length, "ranges") : soft(c.n > c.coordinates.filter(s => s.unit === "1").length ? "No coordinate moves by more than the constraints are violated." : "The coordinates are Euler parameters."),
    el("div", {class: "grid", style: "margin-top:14px"},
      by_unit(c.coordinates, c.n, {m: "Places", rad: "Angles", "rad, turning": "Angles beyond a turn", "1": "Euler parameters", C: "Charges", "m^3": "Volumes", "": "Positions"}),
      by_unit(c.velocities, c.n, {"m/s": "Velocities", "rad/s": "Angular velocities", "1/s": "Rates of Euler parameters", A: "Currents", "m^3/s": "Flows", "": "Rates"}))));

  if (c.energies.length > 0 || d.balance) {
    const group = (title, list) => list.length ? chart({title, x: c.t, series: list, marks, time: true, shown: 6, ylabel: "J"}) : null;
    show(section("Energy", el("div", {class: "grid"}, group("Energy by element", c.energies), group("Change of the sum of energies", c.energy_change))));
    if (d.balance && !balanced)
      show(soft(fmt(Math.abs(d.balance.residual)) + " J came or went without work, and " + fmt(d.balance.turnover) + " J changed hands: there is no balance to show."));
    else if (d.balance) {
      const zero = x => Math.abs(x) > rounding ? x : 0;
      const rows = d.balance.rows.map(([name, ...x]) => [name, ...x.map(zero)]).filter(([, ...x], i, all) => i + 1 === all.length || x.some(v => v !== 0));
      const balance = table([{name: "element", left: true}, {name: "stored [J]", derived: true}, {name: "dissipated [J]", derived: true}, {name: "supplied [J]", derived: true},
        {name: "prescribed [J]", derived: true}], rows);
      show(folded(balance, rows.length, "elements"), soft(
        "stored + dissipated − supplied − prescribed leaves " + fmt(d.balance.residual) + " J of " + fmt(d.balance.turnover) +
        " J that changed hands; what is below " + fmt(d.balance.unresolved) + " J, the accuracy of the run, is 0 here. The stored energy is that of the two ends, the others are integrals of power."));
    }
  }

  // The accuracy of the motion.
  show(section("Accuracy and method", el("div", {class: "facts"},
    fact("equations", d.formulation), fact("integrator", d.integrator),
    fact("coordinates, constraints, rank", c.n + ", " + c.m + ", " + f.rank),
    fact("steps", fmt(f.steps, 6), fmt(f.error_test_failures + f.nonlinear_failures, 6) + (f.error_test_failures + f.nonlinear_failures === 1 ? " attempt" : " attempts") + " rejected or failed"),
    fact("right-hand sides, Jacobians", fmt(f.rhs_evaluations, 7) + ", " + fmt(f.jacobian_evaluations, 7)),
    c.m > 0 ? [fact("largest |g|", fmt(f.max_position_violation)), fact("largest |(g′, ψ)|", fmt(f.max_velocity_violation)),
               fact("smallest singular value", fmt(f.smallest_singular_value))] : null,
    fact("energy drift", f.energy_drift === null ? "not known" : fmt(f.energy_drift) + " J"))));
  if (e) {
    const last = e.curves.length - 1, has_tolerance = e.curves[last].name.startsWith("rtol");
    const curves = e.curves.map((s, i) => has_tolerance && i === last ? Object.assign({colour: "#000000", dash: [6, 4]}, s) : s);
    show(el("p", {class: e.certain ? "soft" : "warn"}, "The estimated error is the distance of the run from " + e.companion +
        (e.certain ? "." : ". Uncertain: " + e.doubt + ".")),
      el("div", {class: "grid"}, chart({title: "Largest estimated error of q, v and λ", x: e.t, series: curves, marks, time: true, log: true,
        note: "q and v in natural scales of the coordinates" + (has_tolerance ? "; dashed: the tolerance of one step." : ".")})),
      e.functions.length ? table([{name: "function of the state", left: true}, {name: "at the end", digits: 7}, {name: "error there"},
                                  {name: "largest error"}], e.functions) : null);
  }
  const violations = envelope(c.t, c.violations.filter(s => s.y.some(v => v > 0)));
  const noisy = violations.x.length < c.t.length ? "Bands: from the smallest to the largest value of neighbouring steps." : "";
  const below = violations.series.some(s => s.y.some(v => v > 0 && v < 1e-16)) ? " What is below 1e-16 is drawn there." : "";
  show(el("div", {class: "grid"},
    violations.series.length ? chart({title: "Violations at the steps", x: violations.x, series: violations.series, marks, time: true, log: true,
      note: (noisy + below).trim() || null}) : c.m > 0 ? soft("The constraints hold exactly.") : null,
    c.steps.t.length > 1 ? chart({title: "Step size", x: c.steps.t, series: [{name: "step", unit: "s", y: c.steps.h}], marks,
      time: true, log: true, step: true, ylabel: "s"}) : null,
    c.steps.order.some(v => v !== null) ? chart({title: "Order of the method", x: c.steps.t,
      series: [{name: "order", unit: "", y: c.steps.order}], marks, time: true, step: true, yrange: [0, 7]}) : null));
  if (marks.length > 0)
    show(soft("Dashed lines: singular passages (purple), events (blue)."),
      table([{name: "t [s]", digits: 6}, {name: "kind", left: true}, {name: "what happened", left: true, wrap: true}],
            marks.map(m => [m.t, m.kind, m.text])));

  show(section("Settings", table([{name: "setting", left: true, wrap: true}, {name: "used", left: true, wrap: true}],
    d.settings.map(([name, asked, used]) => [name, used + (asked === "" || asked === used ? "" : " (asked for: " + asked + ")")]))),
    section("Figures", folded(table([{name: "figure", left: true}, {name: "value"}, {name: "unit", left: true}, {name: "meaning", left: true, wrap: true}],
      d.described.map(([name, unit, meaning]) => [name, f[name], unit, meaning])), d.described.length, "figures")),
    section("Report", el("details", {}, el("summary", {}, "the report as text"), el("pre", {}, d.account))),
    d.references.length ? section("References", el("dl", {class: "refs"}, d.references.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]))) : null,
    soft("sunlagrange " + d.version + "; curves by uPlot (MIT licence, in this file)."));
})();
