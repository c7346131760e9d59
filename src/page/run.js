// SPDX-License-Identifier: BSD-3-Clause
// The page of one run: what the motion does first, then how well it is known.

(function () {
  const d = JSON.parse(document.getElementById("data").textContent), f = d.figures, page = document.getElementById("page");
  const finished = d.outcome === "finished", doubtful = d.doubts.length > 0;
  const c = d.curves, marks = d.marks, planar = !d.scene || d.scene.planar;
  const one_state = c.t.length < 2;
  const fact = (name, value, more) => value === null || value === "" ? null : el("div", {}, el("span", {}, name), value, more ? el("small", {}, more) : null);
  const with_unit = (x, unit) => x === null ? null : fmt(x) + (unit && unit !== "1" ? " " + unit : "");
  // Times next to the ends of the run are the ends.
  const end_of_run = t => Math.abs(t - f.t_start) <= 1e-4 * (f.t_reached - f.t_start) ? "start" : Math.abs(t - f.t_reached) <= 1e-4 * (f.t_reached - f.t_start) ? "end" : null;
  const moment = t => end_of_run(t) || t;
  const at = (t, y) => !one_state && is_constant(y) ? "constant" : end_of_run(t) ? "at the " + end_of_run(t) : "at " + fmt(t) + " s";
  const size_of = (x, [a, b, c]) => x[a].map((v, i) => v === null ? null : Math.hypot(v, x[b][i], x[c][i]));
  const force_of = x => size_of(x, ["Fx", "Fy", "Fz"]), torque_of = x => size_of(x, ["Mx", "My", "Mz"]);
  const show = (...parts) => page.append(...parts.flat(Infinity).filter(part => part !== null && part !== undefined));
  const soft = (...words) => el("p", {class: "soft"}, ...words);

  // Long tables open on a click.
  const folded = (node, count, what) => count <= 15 ? node : el("details", {}, el("summary", {}, count + " " + what), node);

  // The answers that an engineer looks for.
  const largest = (list, key) => list.reduce((a, b) => a === null || Math.abs(b[key][0]) > Math.abs(a[key][0]) ? b : a, null);
  const joints = d.joints ? d.joints.list : [], drives = d.drives ? d.drives.list : [];
  const pulled = largest(joints, "largest_force");
  const turned = largest(joints.filter(j => j.about === "the joint" && j.largest_torque[0] > j.torque_bound), "largest_torque");
  const joint_words = x => x.joint + " on " + x.body, unsure = x => x.unique ? "" : "; not unique: the least forces that fit";
  const answers = [];
  if (pulled && pulled.largest_force[0] > 0)
    answers.push(fact("largest joint force", with_unit(pulled.largest_force[0], "N"), joint_words(pulled) + ", " + at(pulled.largest_force[1], force_of(pulled)) + unsure(pulled)));
  if (turned)
    answers.push(fact("largest joint torque", with_unit(turned.largest_torque[0], "N m"), joint_words(turned) + ", " + at(turned.largest_torque[1], torque_of(turned)) + unsure(turned)));
  for (const drive of drives.slice(0, 4)) {
    if (drive.unit) answers.push(fact(drive.name + ", largest", with_unit(drive.largest_effort[0], drive.unit), at(drive.largest_effort[1], drive.effort)));
    const [least, most] = [drive.least_power, drive.largest_power], takes = Math.abs(least[0]) > most[0];
    answers.push(fact("power of " + drive.name, is_constant(drive.power) ? with_unit(most[0], "W") : fmt(least[0]) + " … " + with_unit(most[0], "W"),
      is_constant(drive.power) ? at(most[1], drive.power) : (takes ? "takes most " : "gives most ") + at((takes ? least : most)[1], drive.power)));
  }
  const [stored, dissipated, supplied, prescribed] = d.balance ? d.balance.rows[d.balance.rows.length - 1].slice(1) : [];
  // Rates that move nothing beyond the rounding of its place along the run are zero, and so is the energy that they carry.
  const duration = f.t_reached - f.t_start, size = s => s.y.reduce((most, v) => v === null ? most : Math.max(most, Math.abs(v)), 0);
  const mechanical = s => ["m", "rad", "1"].includes(s.unit);
  const largest_place = Math.max(0, ...c.coordinates.filter(mechanical).map(size));
  const place_rounding = s => few_roundings * (mechanical(s) ? largest_place : size(s));
  const rate_bound = Math.max(f.max_velocity_violation || 0, duration > 0 ? 8 * few_roundings * largest_place / duration : 0);
  const rate_rounding = (s, i) => mechanical(c.coordinates[i]) ? rate_bound : duration > 0 ? 8 * few_roundings * size(c.coordinates[i]) / duration : 0;
  const at_rest = c.velocities.length === c.n && c.velocities.every((s, i) => size(s) <= rate_rounding(s, i));
  const largest_energy = Math.max(0, ...c.energies.map(size));
  const rounding = d.balance ? Math.max(d.balance.unresolved, few_roundings * largest_energy) : 0;
  const balanced = d.balance && finished && rounding <= 0.01 * d.balance.turnover && (c.energies.length === 0 || rounding <= largest_energy);
  const energies = d.balance ? [["stored", stored], ["dissipated", dissipated], [(supplied < 0 ? "taken out" : "put in") + " by forces", Math.abs(supplied)],
    [(prescribed < 0 ? "taken out" : "put in") + " by prescribed motions", Math.abs(prescribed)]]
    .filter(([, x]) => Math.abs(x) > rounding) : [];
  const missing_work = finished ? (d.balance ? fmt(Math.abs(d.balance.residual)) : "") + " J came or went without work" : "the run did not finish";
  if (d.balance && !at_rest) {
    answers.push(!balanced ? fact("energy", "not known", missing_work)
      : fact("energy", energies.length ? energies.map(([name, x]) => name + " " + with_unit(x, "J")).join(", ")
        : "conserved" + (Math.abs(d.balance.residual) > few_roundings * largest_energy ? " up to " + with_unit(Math.abs(d.balance.residual), "J") : " to rounding")));
  }
  for (const [name, unit, low, , high, , rate, , rate_unit] of d.ranges.slice(0, d.ranges.length > 4 ? 0 : 4))
    answers.push(fact(name, fmt(low) + " … " + with_unit(high, unit), "rate up to " + with_unit(Math.abs(rate), rate_unit)));

  show(
    el("h1", {}, d.title),
    el("div", {class: "verdict" + (finished ? doubtful ? " doubts" : "" : " failed")},
      el("b", {}, finished ? doubtful ? "Finished, with doubts" : "Finished" : "Not finished: " + d.outcome.replace("_", " ")),
      el("p", {}, fmt(f.t_start, 4) + " … " + fmt(f.t_reached, 6) + " s" +
        (f.t_reached < f.t_end ? " of " + fmt(f.t_end, 6) + " s" : "") + " in " + (f.wall_seconds < 1 ? fmt(1000 * f.wall_seconds) + " ms" : fmt(f.wall_seconds) + " s") + " (wall)"),
      one_state ? el("p", {}, "The run stopped at its start: there are no curves.") : null,
      d.message ? el("p", {}, d.message) : null,
      d.doubts.map(text => el("p", {}, "Doubt: " + text))),
    el("div", {class: "facts"}, answers));

  show(section("Motion", d.scene ? makeScene(d.scene, d.marks, d.joints)
    : el("p", {class: "soft", title: "An element of one's own draws itself by a member draw: model/drawing.hpp."}, "The elements of this mechanism draw nothing.")));
  const curve = options => one_state ? null : chart(Object.assign({x: c.t, marks, time: true}, options));

  // Curves of components; those within the rounding are shown as zero.
  const are_zero = (list, how) => (list.length > 6 ? list.length + " of them" : list.map(s => s.name).join(", ")) + (list.length > 1 ? " are 0" : " is 0") + how + ".";
  const text_card = (title, words) => el("div", {class: "card"}, el("h3", {}, title), soft(words));
  const components = (title, list, bound, unit, t) => {
    if (one_state) return null;
    const seen = list.filter(s => size(s) > bound), zero = list.filter(s => size(s) <= bound);
    const words = zero.length ? are_zero(zero, bound > 0 ? ", up to the accuracy of the run (" + fmt(bound, 1) + " " + unit + ")" : "") : null;
    return seen.length ? curve({title, x: t, series: seen, ylabel: unit, note: words}) : text_card(title, words);
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
        components("Force of " + x.joint + " on " + x.body + ", ground axes", curves(keys[0], "N"), x.force_bound, "N", j.t),
        components("Torque about " + x.about, curves(keys[1], "N m"), x.torque_bound, "N m", j.t));
    };
    const with_time = ([value, t], bound, y) => value > bound ? [value, !one_state && is_constant(y) ? "constant" : moment(t)] : [0, ""];
    const rows = j.list.map(x => [x.joint, x.body, ...with_time(x.largest_force, x.force_bound, force_of(x)),
      ...with_time(x.largest_torque, x.torque_bound, torque_of(x)), x.about, x.unique ? "yes" : "no"]);
    show(section("Joint forces", soft("What each joint does to each body; largest values over " +
        (j.t.length < j.states ? j.t.length + " of the " + j.states + " recorded states" : "the run") + "." +
        (j.list.every(x => x.unique) ? "" : " Redundant joints share a load in a way that the motion does not determine: those that are not unique have the least forces that fit.")),
      folded(table([{name: "joint", left: true}, {name: "on", left: true}, {name: "largest force [N]", derived: true}, {name: "at t [s]", digits: 4},
                    {name: "largest torque [N m]", derived: true}, {name: "at t [s]", digits: 4}, {name: "torque about", left: true}, {name: "unique", left: true}], rows), rows.length, "rows"),
      one_state ? null : [el("p", {}, "Curves of ", select), place]));
    draw();
  } else if (c.multipliers.length > 0 && !one_state) {
    show(section("Multipliers", soft("λ by row; the force on the coordinates is −Gᵀλ."),
      el("div", {class: "grid"}, curve({series: c.multipliers, shown: 6,
        note: c.multipliers.length < c.m ? "The first " + c.multipliers.length + " of " + c.m + "." : null}))));
  }

  if (d.drives && !one_state) {
    const units = [...new Set(drives.map(x => x.unit).filter(Boolean))];
    show(section("Drives", soft("What prescribed motions and applied forces do to the mechanism; power is positive where they give it."),
      el("div", {class: "grid"},
        units.map(unit => curve({title: {"N m": "Torque", N: "Force", V: "Voltage", Pa: "Pressure"}[unit] || "Effort", x: d.drives.t, ylabel: unit,
          series: drives.filter(x => x.unit === unit).map(x => ({name: x.name, unit, y: x.effort}))})),
        curve({title: "Power", x: d.drives.t, ylabel: "W", series: drives.map(x => ({name: x.name, unit: "W", y: x.power}))}))));
  }

  // Coordinates: a chart for each unit; angles beyond a turn would flatten the others.
  const width = s => { const [low, high] = span_of(s.y); return high > low ? high - low : 0; };
  const e = c.errors, note = e ? "Bands: the estimated error, where it is wider than the line." : null;
  const by_unit = (list, all, names, bound) => {
    const kinds = [];
    list.forEach((s, i) => {
      const key = s.unit + (s.unit === "rad" && width(s) > 2 * Math.PI ? ", turning" : "");
      let kind = kinds.find(k => k.key === key);
      if (!kind) kinds.push(kind = {key, unit: s.unit, list: [], zero: []});
      (size(s) > bound(s, i) ? kind.list : kind.zero).push(s);
    });
    return kinds.map(kind => {
      const title = names[kind.key] || names[kind.unit] || names[""] + (kind.unit ? " [" + kind.unit + "]" : "");
      const zero = kind.zero.length ? kind.list.length ? are_zero(kind.zero, " to rounding") : "All are 0 to rounding." : null;
      if (kind.list.length === 0) return text_card(title, zero);
      const many = kind.list.length > 6, series = many ? kind.list.slice().sort((a, b) => width(b) - width(a)) : kind.list;
      const notes = [many ? "The six that move most are drawn; the legend has " + (list.length < all ? "those of the first " + list.length + " coordinates." : "all.") : null, zero, note];
      return curve({title, series, shown: 6, ylabel: kind.unit === "1" ? "" : kind.unit, note: notes.filter(Boolean).join(" ") || null});
    });
  };
  const ranges = table([{name: "coordinate", left: true}, {name: "unit", left: true}, {name: "least"}, {name: "at t [s]", digits: 4}, {name: "largest"}, {name: "at t [s]", digits: 4},
                        {name: "largest rate"}, {name: "at t [s]", digits: 4}, {name: "its unit", left: true}],
                       d.ranges.map(([name, unit, low, low_t, high, high_t, rate, rate_t, rate_unit]) =>
                         [name, unit, low, moment(low_t), high, moment(high_t), rate, moment(rate_t), rate_unit]));
  const turning = c.coordinates.some(s => s.unit === "1" && width(s) > Math.max(f.max_position_violation || 0, few_roundings * largest_place));
  const still = turning ? "No place moves; the bodies turn." : "No coordinate moves by more than the constraints are violated and numbers are rounded.";
  if (!one_state) show(section("Coordinates", d.ranges.length ? folded(ranges, d.ranges.length, "ranges") : soft(still),
    el("div", {class: "grid", style: "margin-top:14px"},
      by_unit(c.coordinates, c.n, {m: "Places", rad: "Angles", "rad, turning": "Angles beyond a turn", "1": "Euler parameters", C: "Charges", "m^3": "Volumes", "": "Positions"}, place_rounding),
      by_unit(c.velocities, c.n, {"m/s": "Velocities", "rad/s": "Angular velocities", "1/s": "Rates of Euler parameters", A: "Currents", "m^3/s": "Flows", "": "Rates"}, rate_rounding))));

  if ((c.energies.length > 0 || d.balance) && !one_state) {
    const group = (title, list) => list.length ? curve({title, series: list, shown: 6, ylabel: "J"}) : null;
    const change = c.energy_change.length && size(c.energy_change[0]) <= few_roundings * largest_energy
      ? text_card("Change of the sum of energies", "It is 0 to rounding.") : group("Change of the sum of energies", c.energy_change);
    show(section("Energy", el("div", {class: "grid"}, group("Energy by element", c.energies), change)));
    if (d.balance && at_rest)
      show(soft("Nothing moves: no energy changes hands."));
    else if (d.balance && !balanced)
      show(soft("There is no balance to show: " + missing_work + (finished ? ", and " + fmt(d.balance.turnover) + " J changed hands." : ".")));
    else if (d.balance) {
      const zero = x => Math.abs(x) > rounding ? x : 0;
      const rows = d.balance.rows.map(([name, ...x]) => [name, ...x.map(zero)]).filter(([, ...x], i, all) => i + 1 === all.length || x.some(v => v !== 0));
      const balance = table([{name: "element", left: true}, {name: "stored [J]", derived: true}, {name: "dissipated [J]", derived: true}, {name: "supplied [J]", derived: true},
        {name: "prescribed [J]", derived: true}], rows);
      show(folded(balance, rows.length, "elements"), soft(
        "stored + dissipated − supplied − prescribed leaves " + fmt(d.balance.residual) + " J of " + fmt(d.balance.turnover) +
        " J that changed hands; what is below " + fmt(rounding) + " J, the accuracy of the run, is 0 here. The stored energy is that of the two ends, the others are integrals of power."));
    }
  }

  // The accuracy of the motion.
  show(section("Accuracy and method", el("div", {class: "facts"},
    fact("equations", d.formulation), fact("integrator", d.integrator),
    fact("coordinates, constraints, rank", c.n + ", " + c.m + ", " + f.rank),
    fact("steps", fmt(f.steps, 6), fmt(f.error_test_failures + f.nonlinear_failures, 6) + (f.error_test_failures + f.nonlinear_failures === 1 ? " attempt" : " attempts") + " rejected or failed"),
    fact("right-hand sides, Jacobians", fmt(f.rhs_evaluations, 7) + ", " + fmt(f.jacobian_evaluations, 7)),
    c.m > 0 ? [fact("largest |g|", with_unit(f.max_position_violation, "")), fact("largest |(g′, ψ)|", with_unit(f.max_velocity_violation, "")),
               fact("smallest singular value", with_unit(f.smallest_singular_value, ""))] : null,
    fact("energy drift", f.energy_drift === null ? "not known" : with_unit(f.energy_drift, "J")))));
  if (e) {
    const last = e.curves.length - 1, has_tolerance = e.curves[last].name.startsWith("rtol");
    const curves = e.curves.map((s, i) => has_tolerance && i === last ? Object.assign({colour: "#000000", dash: [6, 4]}, s) : s);
    show(el("p", {class: e.certain ? "soft" : "warn"}, "The estimated error is the distance of the run from " + e.companion +
        (e.certain ? "." : ". Uncertain: " + e.doubt + ".")),
      el("div", {class: "grid"}, curve({title: "Largest estimated error of q, v and λ", x: e.t, series: curves, log: true,
        note: "q and v in natural scales of the coordinates" + (has_tolerance ? "; dashed: the tolerance of one step." : ".")})),
      e.functions.length ? table([{name: "function of the state", left: true}, {name: "at the end", digits: 7}, {name: "error there"},
                                  {name: "largest error"}], e.functions) : null);
  }
  const kept = c.violations.filter((s, i) => size(s) <= few_roundings * (i === 0 ? f.max_position : Math.max(f.max_velocity, duration > 0 ? f.max_position / duration : 0)));
  const kept_words = !kept.length ? "" : (kept.length < c.violations.length ? "Kept" : "The constraints are kept") + " to rounding: " +
    kept.map(s => s.name + " " + (size(s) === 0 ? "= 0" : "≤ " + fmt(size(s), 2))).join(", ") + ".";
  const violations = envelope(c.t, c.violations.filter(s => !kept.includes(s)));
  const noisy = violations.x.length < c.t.length ? "Bands: from the smallest to the largest value of neighbouring steps. " : "";
  const below = violations.series.some(s => s.y.some(v => v > 0 && v < 1e-16)) ? "What is below 1e-16 is drawn there. " : "";
  const orders = c.steps.order.filter(v => v !== null);
  const order = orders.every(v => v === orders[0]) ? null : curve({title: "Order of the method", x: c.steps.t,
    series: [{name: "order", unit: "", y: c.steps.order}], step: true, yrange: [0, 7]});
  show(el("div", {class: "grid"},
    violations.series.length ? curve({title: "Violations at the steps", x: violations.x, series: violations.series, log: true,
      note: (noisy + below + kept_words).trim() || null}) : null,
    c.steps.t.length > 1 ? curve({title: "Step size", x: c.steps.t, series: [{name: "step", unit: "s", y: c.steps.h}], log: true, step: true, ylabel: "s"}) : null,
    order),
    violations.series.length || !kept.length ? null : soft(kept_words), order || !orders.length ? null : soft("Order of the method: " + orders[0] + " throughout."));
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
