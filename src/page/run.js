// The page of one run.

(function () {
  const d = JSON.parse(document.getElementById("data").textContent), f = d.figures, page = document.getElementById("page");
  const finished = d.outcome === "finished", doubtful = d.doubts.length > 0;
  const fact = (name, value) => el("div", {}, el("span", {}, name), value);
  const energyDrift = f.energy_drift === null ? "not known" : fmt(f.energy_drift) + " J";

  // Long tables open on a click.
  const folded = (node, count, what) => count <= 15 ? node : el("details", {}, el("summary", {}, count + " " + what), node);

  page.append(
    el("h1", {}, d.title),
    el("div", {class: "verdict" + (finished ? doubtful ? " doubts" : "" : " failed")},
      el("b", {}, finished ? doubtful ? "Finished, with doubts" : "Finished" : "Not finished: " + d.outcome.replace("_", " ")),
      el("p", {}, fmt(f.t_start, 4) + " … " + fmt(f.t_reached, 6) + " s" +
        (f.t_reached < f.t_end ? " of " + fmt(f.t_end, 6) + " s" : "") + " in " + fmt(1000 * f.wall_seconds) + " ms (wall)"),
      d.message ? el("p", {}, d.message) : null,
      d.doubts.map(text => el("p", {}, "Doubt: " + text))),
    el("div", {class: "facts"},
      fact("equations", d.formulation), fact("integrator", d.integrator),
      fact("coordinates, constraints, rank", d.curves.n + ", " + d.curves.m + ", " + f.rank),
      fact("steps", fmt(f.steps, 6) + ", and " + fmt(f.error_test_failures + f.nonlinear_failures, 6) + " attempts rejected or failed"),
      fact("right-hand sides, Jacobians", fmt(f.rhs_evaluations, 7) + ", " + fmt(f.jacobian_evaluations, 7)),
      fact("largest |g|", fmt(f.max_position_violation)), fact("largest |(g′, ψ)|", fmt(f.max_velocity_violation)),
      fact("energy drift", energyDrift), fact("smallest singular value", fmt(f.smallest_singular_value))));

  page.append(section("Motion", d.scene ? makeScene(d.scene, d.marks)
    : el("p", {class: "soft"}, "Nothing to look at: no element of this model has a place in space, or the model has no member draw " +
         "(void draw(double t, View<const double> q, Drawing& d) const, model/drawing.hpp).")));

  const c = d.curves, marks = d.marks;
  const group = (title, list, all, more) => list.length === 0 ? null : chart(Object.assign({
    title: title + (list.length < all ? " (the first " + list.length + " of " + all + ")" : ""),
    x: c.t, series: list, marks, time: true, shown: 6}, more));
  const e = c.errors, note = e ? "Bands: the estimated error, where it is wider than the line." : null;
  page.append(section("Coordinates", el("div", {class: "grid"}, group("Positions", c.coordinates, c.n, {note}),
                                        group("Velocities", c.velocities, c.n, {note}))));
  if (e) {
    const last = e.curves.length - 1, has_tolerance = e.curves[last].name.startsWith("rtol");
    const curves = e.curves.map((s, i) => has_tolerance && i === last ? Object.assign({colour: "#000000", dash: [6, 4]}, s) : s);
    page.append(section("Estimated error", el("p", {class: e.certain ? "soft" : "warn"}, "How far the run lies from " + e.companion +
        (e.certain ? "." : ". Uncertain: " + e.doubt + ".")),
      el("div", {class: "grid"}, chart({title: "Largest error of q, v and λ", x: e.t, series: curves, marks, time: true, log: true,
        note: "q and v in natural scales of the coordinates" + (has_tolerance ? "; dashed: the tolerance of one step." : ".")})),
      e.functions.length ? table([{name: "function of the state", left: true}, {name: "at the end", digits: 7}, {name: "error there"},
                                  {name: "largest error"}], e.functions) : null));
  }

  const positive = list => list.some(s => s.y.some(v => v > 0));
  const quality = [
    positive(c.violations) ? group("Violations at the steps", c.violations, 0, {log: true,
      note: c.violations.some(s => s.y.some(v => v > 0 && v < 1e-16)) ? "What is below 1e-16 is drawn there." : null}) : null,
    c.steps.t.length > 1 ? chart({title: "Step size", x: c.steps.t, series: [{name: "step", unit: "s", y: c.steps.h}], marks,
      time: true, log: true, step: true}) : null,
    c.steps.order.some(v => v !== null) ? chart({title: "Order of the method", x: c.steps.t,
      series: [{name: "order", unit: "", y: c.steps.order}], marks, time: true, step: true, yrange: [0, 7]}) : null];
  page.append(section("Constraints and steps", el("div", {class: "grid"}, quality)));
  if (marks.length > 0)
    page.append(el("p", {class: "soft"}, "Dashed lines: singular passages (purple), events (blue)."),
      table([{name: "t [s]", digits: 6}, {name: "", left: true}, {name: "what happened", left: true, wrap: true}],
            marks.map(m => [m.t, m.kind, m.text])));

  if (c.energies.length > 0 || d.balance) {
    const parts = [];
    if (c.energies.length > 0)
      parts.push(group("Energy by element", c.energies, 0), group("Change of the sum of energies", c.energy_change, 0));
    page.append(section("Energy", el("div", {class: "grid"}, parts)));
    if (d.balance) {
      const balance = table([{name: "element", left: true}, {name: "stored [J]"}, {name: "dissipated [J]"}, {name: "supplied [J]"},
        {name: "prescribed [J]"}], d.balance.rows);
      page.append(folded(balance, d.balance.rows.length, "elements"), el("p", {class: "soft"},
        "stored + dissipated − supplied − prescribed leaves " + fmt(d.balance.residual) + " J of " + fmt(d.balance.turnover) +
        " J that changed hands: `stored` from the energies of the two ends, the others from integrals of power."));
    }
  }

  if (d.joints) {
    const j = d.joints, planar = !d.scene || d.scene.planar, place = el("div", {class: "grid"});
    const names = j.list.map((x, i) => el("option", {value: i}, x.joint + " on " + x.body));
    const components = planar ? [["Fx", "Fy"], ["Mz"]] : [["Fx", "Fy", "Fz"], ["Mx", "My", "Mz"]];
    const select = el("select", {"aria-label": "joint", onchange: () => draw()}, names);
    const draw = () => {
      const x = j.list[Number(select.value)];
      place.replaceChildren(
        chart({title: "Force of " + x.joint + " on " + x.body + ", ground axes", x: j.t, marks, time: true,
               series: components[0].map(k => ({name: k, unit: "N", y: x[k]}))}),
        chart({title: "Torque about " + x.about, x: j.t, marks, time: true,
               series: components[1].map(k => ({name: k, unit: "N m", y: x[k]}))}));
    };
    const size = (x, keys) => Math.max(...j.t.map((unused, i) => Math.hypot(...keys.map(k => x[k][i] === null ? 0 : x[k][i]))));
    const rows = j.list.map(x => [x.joint, x.body, size(x, ["Fx", "Fy", "Fz"]), size(x, ["Mx", "My", "Mz"]), x.about, x.unique ? "yes" : "no"]);
    page.append(section("Joint forces", el("p", {class: "soft"}, "What each joint does to each body; largest values over the run." +
        (j.list.every(x => x.unique) ? "" : " Redundant joints share a load in a way that the motion does not determine: those that are not unique have the least forces that fit.")),
      folded(table([{name: "joint", left: true}, {name: "on", left: true}, {name: "largest force [N]", derived: true}, {name: "largest torque [N m]", derived: true},
                    {name: "torque about", left: true}, {name: "unique", left: true}], rows), rows.length, "rows"),
      el("p", {}, "Curves of ", select), place));
    draw();
  } else if (c.multipliers.length > 0) {
    page.append(section("Multipliers", el("p", {class: "soft"}, "λ by row; the force on the coordinates is −Gᵀλ."),
      el("div", {class: "grid"}, group("", c.multipliers, c.m))));
  }

  page.append(section("Settings", table([{name: "", left: true}, {name: "asked", left: true, wrap: true}, {name: "used", left: true, wrap: true}],
    d.settings.map(s => s))),
    section("Figures", folded(table([{name: "", left: true}, {name: "value"}, {name: "unit", left: true}, {name: "meaning", left: true, wrap: true}],
      d.described.map(([name, unit, meaning]) => [name, f[name], unit, meaning])), d.described.length, "figures")),
    section("Account", el("pre", {}, d.account)),
    section("References", el("dl", {class: "refs"}, d.references.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]))),
    el("p", {class: "soft"}, "sunlagrange " + d.version + "; curves by uPlot (MIT licence, in this file)."));
})();
