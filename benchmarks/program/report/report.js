// SPDX-License-Identifier: BSD-3-Clause
// The page of comparisons.

(function () {
  const data = JSON.parse(document.getElementById("data").textContent), page = document.getElementById("page");
  const part = name => data.parts.find(p => p.name === name);
  const documentOf = name => part(name) ? part(name).document : null;
  const source = name => {
    const p = part(name);
    return el("p", {class: "soft"}, "Data: ", el("a", {href: p.file}, p.file), ", ", el("a", {href: p.csv}, p.csv), " · ", el("code", {}, p.command), p.seconds === null ? "" : " · " + fmt(p.seconds) + " s");
  };
  const cost = r => 1000 * (r.cpu_seconds !== undefined && r.cpu_seconds !== null ? r.cpu_seconds : r.wall_seconds);
  const label = r => r.formulation + (r.integrator === "ida" || r.integrator === r.formulation ? "" : " " + r.integrator);
  const reached = r => r.status === "finished";
  const doubtless = r => reached(r) && r.doubts.length === 0;
  const holding = r => doubtless(r) && r.holds_constraints;
  const group = (list, key) => {
    const map = new Map();
    for (const x of list) {
      const k = key(x);
      if (!map.has(k)) map.set(k, []);
      map.get(k).push(x);
    }
    return map;
  };
  const unique = list => [...new Set(list)];
  const comparisons = data.parts.filter(p => p.name.startsWith("work") && p.document.mechanisms.length).map(p => {
    const d = p.document.mechanisms[0];
    return {name: p.name, mechanism: d.mechanism, runs: d.runs.filter(r => !r.baseline), shipped: d.runs.filter(r => r.baseline),
            same: d.same || [], front: d.front_holding.cpu_seconds.map(k => d.runs[k]), any: d.front.cpu_seconds.map(k => d.runs[k])};
  });

  // ---- verdict ----
  const validation = documentOf("validate");
  const allRuns = comparisons.flatMap(c => c.runs);
  const failing = validation ? validation.comparisons.filter(c => !c.holds) : [];
  const finished = allRuns.filter(reached), sure = allRuns.filter(doubtless);
  const shipped = comparisons.flatMap(c => c.shipped), shippedDone = shipped.filter(reached);
  page.append(el("h1", {}, "sunlagrange: formulations compared"),
    el("div", {class: "verdict" + (failing.length ? " failed" : data.complete ? "" : " doubts")},
      el("b", {}, validation ? failing.length ? failing.length + " of " + validation.comparisons.length + " comparisons with published or exact values fail"
        : "All " + validation.comparisons.length + " comparisons with published or exact values hold" : data.mechanism ? "The formulations on " + data.mechanism : "No validation"),
      data.complete ? null : el("p", {}, "The program was interrupted: parts are missing."),
      el("p", {}, finished.length + " of " + allRuns.length + " runs of the library finished, " + sure.length + " of them without doubts; of IDA with " +
        "settings by hand, on the same residuals, " + shippedDone.length + " of " + shipped.length + "."),
      el("p", {class: "soft"}, (data.quick ? "Quick report. " : "") + "Times are of one machine and one thread" +
        (data.machine.build === "optimised" ? "." : ", " + data.machine.build + "."))),
    el("div", {class: "facts"}, Object.entries(data.machine).map(([k, v]) => el("div", {}, el("span", {}, k), String(v)))));

  // ---- ranking at equal error ----
  const work = documentOf("work"), ranking = documentOf("ranking") || work && work.ranking;
  if (ranking && ranking.formulations.length) {
    const percent = Math.round(100 * ranking.noise) + " %", shown = x => x === null ? "–" : x.toFixed(2);
    const cells = at => [el("span", {"data-value": at.work === null ? null : at.work}, shown(at.work) + (at.best ? " =" : "")), shown(at.cpu), at.integrator || "–",
                         at.reached + " of " + ranking.mechanisms.length, at.violation === null ? "–" : fmt(at.violation, 2)];
    const columns = [{name: "formulation", left: true}].concat(ranking.errors.flatMap(e =>
      [{name: "work at " + fmt(e, 1)}, {name: "CPU"}, {name: "integrator", left: true}, {name: "reached"}, {name: "max |g|"}]));
    const winners = (list, k) => {
      const best = list.filter(f => f.at[k].best), others = list.filter(f => !f.at[k].best && f.at[k].work !== null).sort((a, b) => a.at[k].work - b.at[k].work);
      return (best.length ? best.map(f => f.formulation).join(" = ") + " (" + unique(best.map(f => f.at[k].integrator)).join(", ") + ")" : "none") +
        (others.length ? "; next " + others[0].formulation + " " + shown(others[0].at[k].work) : "");
    };
    const most = f => Math.max(...f.at.map(at => at.reached));
    page.append(section("Which formulation?", source(part("ranking") ? "ranking" : "work"),
      el("p", {}, "Work at equal error of q over the least of each mechanism, median over " + ranking.mechanisms.length + ": " + ranking.mechanisms.join(", ") + "."),
      table(columns, ranking.formulations.map(f => ({cells: [f.formulation, ...f.at.flatMap(cells)], best: f.at.every(at => at.best)}))),
      ranking.same.map(s => el("p", {}, s.formulation + " is " + s.is + " here: with constant gains all its runs are the same.")),
      ranking.not_ranked.length ? el("p", {}, "Not ranked, because on most mechanisms they do not hold the constraints or miss the errors (they reach them on): " +
        ranking.not_ranked.map(f => f.formulation + " (" + most(f) + " of " + ranking.mechanisms.length + ")").join(", ") + ".") : null,
      ranking.kinds.length > 1 ? table([{name: "kind of mechanism", left: true, wrap: true}].concat(ranking.errors.map(e => ({name: "least work at error " + fmt(e, 1), left: true, wrap: true}))),
        ranking.kinds.map(kind => [kind.kind, ...ranking.errors.map((e, k) => winners(kind.formulations, k))])) : null,
      el("p", {class: "soft"}, "Rows stand in the order of the product of their works. Work counts right-hand sides or residuals, Newton factorisations and 2 for each Jacobian, with the best integrator; = is equal to the least, within " +
        percent + ", the noise of an interpolated work. CPU is the same in time, with the fastest integrator; it differs from run to run and ranks nothing. max |g| is the " +
        "largest violation at this error. " + ranking.without_doubts + " of " + ranking.runs + " runs finished without doubts" +
        (ranking.longest_step_bound > 0 ? "; in " + ranking.longest_step_bound + " most steps were as long as the longest one allowed." : "."))));
  }

  // ---- validation ----
  if (validation) {
    const rows = [];
    const order = validation.comparisons.slice().sort((a, b) => Number(a.holds) - Number(b.holds));
    for (const [mechanism, list] of group(order, c => c.mechanism)) {
      rows.push({group: mechanism});
      for (const c of list)
        rows.push([c.run, c.quantity, c.t, c.reference, c.ours, c.error, c.allowed,
                   el("span", {class: c.holds ? "ok" : "bad"}, c.holds ? "holds" : "FAILS")]);
    }
    page.append(section("Against published and exact values", source("validate"),
      el("details", {}, el("summary", {}, validation.comparisons.length + " comparisons"),
        table([{name: "run", left: true}, {name: "quantity", left: true}, {name: "at t [s]", digits: 5}, {name: "reference", digits: 10},
          {name: "ours", digits: 10}, {name: "error", digits: 2}, {name: "allowed", digits: 2}, {name: "", left: true}], rows))));
    if (failing.length) page.lastChild.querySelector("details").setAttribute("open", "");
  }

  // ---- comparisons ----
  for (const c of comparisons) {
    const rtols = unique(c.runs.map(r => r.rtol)).sort((a, b) => b - a);
    const cells = list => rtols.map(rtol => {
      const r = list.find(x => x.rtol === rtol);
      if (!r) return "–";
      const text = reached(r) ? fmt(r.error_vs_reference, 2) + " · " + fmt(cost(r), 2) + " ms" : r.status.replace("_", " ");
      return el("span", {class: doubtless(r) ? null : reached(r) ? "warn" : "bad", title: r.message || r.doubts.map(d => d.text).join("; ") || null,
                         "data-value": reached(r) && r.error_vs_reference !== null ? r.error_vs_reference : null}, text);
    });
    const best = c.front.filter(r => r.error_vs_reference > 0), loose = c.any.filter(r => !r.holds_constraints && r.error_vs_reference > 0);
    const named = r => label(r) + " at " + fmt(r.rtol, 1) + " (" + fmt(r.error_vs_reference, 2) + ", " + fmt(cost(r), 2) + " ms)";
    const rows = [];
    for (const [formulation, list] of group(c.runs, r => r.formulation)) {
      rows.push({group: formulation});
      for (const [integrator, runs] of group(list, r => r.integrator))
        rows.push({cells: [integrator, ...cells(runs)], best: runs.some(r => best.includes(r))});
      for (const [integrator, runs] of group(c.shipped.filter(r => r.formulation === formulation), r => r.integrator))
        rows.push([integrator, ...cells(runs)]);
    }
    const onFront = unique(best.map(label));
    const known = c.runs.filter(r => reached(r) && r.error_vs_reference > 0);
    const parts = [];
    if (known.length) {
      const x = unique(known.map(r => r.error_vs_reference).concat(c.shipped.filter(r => reached(r) && r.error_vs_reference > 0)
        .map(r => r.error_vs_reference))).sort((a, b) => a - b);
      const curve = (name, runs, more) => Object.assign({name, unit: "ms", points: true, y: x.map(e => {
        const r = runs.find(q => q.error_vs_reference === e && reached(q));
        return r ? cost(r) : null;
      })}, more);
      const named = onFront.map((name, i) => curve(name, known.filter(r => label(r) === name), {colour: colours[i % 6], dash: dashes[Math.floor(i / 6) % 4]}));
      const rest = [curve("Pareto front", best, {colour: "#000000", width: 2.5, dash: []}),
                    curve("others", known.filter(r => !onFront.includes(label(r)) && r.holds_constraints), {colour: "#b5b5b5", lonely: true}),
                    curve("constraints not held", known.filter(r => !onFront.includes(label(r)) && !r.holds_constraints), {colour: "#d9a6bf", lonely: true}),
                    curve("IDA set by hand", c.shipped, {colour: "#8c6d46", lonely: true})].filter(q => q.y.some(v => v !== null));
      parts.push(chart({title: "Work and precision", x, xlog: true, log: true, xlabel: "largest error of q at the end", ylabel: "time [ms]",
        height: 400, series: named.concat(rest), shown: 1000,
        note: "Left and low is good. Coloured: formulations with a run on the Pareto front of those that hold the constraints, joined by tolerance. " +
              "Click a name to hide it."}));
    }
    page.append(section("Formulations on " + c.mechanism, source(c.name),
      el("p", {}, best.length ? "On the Pareto front of error and CPU time (the ranking above goes by work instead) of those that hold the constraints, cheap to accurate: " + best.map(named).join("; ") + "."
        : "No error is known: there is no reference at the end of this run."),
      c.same.map(s => el("p", {}, s.formulation + " is " + s.is + " here, all its runs are the same: it is on no front.")),
      loose.length ? el("p", {class: "soft"}, "On the front of all, but without holding them: " + loose.map(named).join("; ") + ".") : null,
      parts, el("details", {}, el("summary", {}, c.runs.length + " runs: error of q at the end · time, by tolerance"),
      table([{name: "integrator", left: true}].concat(rtols.map(r => ({name: "rtol " + fmt(r, 1)}))), rows),
      el("p", {class: "soft"}, "Bold: on the Pareto front of those that hold the constraints. ida stock: IDA as shipped; ida masks: masks and iteration limits by hand."))));
  }

  // Curves with their own times, on one axis.
  function together(runs, key, name) {
    const x = unique(runs.flatMap(r => r.t)).sort((a, b) => a - b);
    const place = new Map(x.map((t, i) => [t, i]));
    return {x, series: runs.map(r => {
      const y = new Array(x.length).fill(null);
      r.t.forEach((t, i) => { y[place.get(t)] = r[key][i]; });
      return {name: name(r), unit: "", y, gaps: true};
    })};
  }

  // ---- drift ----
  const drift = documentOf("drift");
  if (drift) {
    const c = together(drift.runs, "violation", r => r.formulation);
    page.append(section("Drift over time", source("drift"), chart({title: "max |g|, " + drift.mechanism + ", all formulations", x: c.x, series: c.series, spans: true,
      xlog: true, log: true, ylabel: "max |g|" + (drift.mechanism === "pendulum" ? " [m²]" : ""), height: 420, shown: 1000, floorAt: 1e-17,
      note: "Largest value in each of 200 parts of the run; rtol = atol = 1e-6 with cvode_bdf or ida; one-step methods with steps of 0.01 s."})));
  }

  // ---- fold ----
  const fold = documentOf("fold");
  if (fold) {
    const violation = together(fold.runs, "violation", r => r.formulation);
    const compared = fold.runs.filter(r => r.error);
    const error = together(compared, "error", r => r.formulation);
    const marks = [{t: fold.fold, kind: "singular", text: "fold"}];
    page.append(section("The arm through its fold", source("fold"),
      el("p", {}, "At t = " + fold.fold + " s both links lie on one line: the constraints lose rank and two branches of the motion cross."),
      el("div", {class: "grid"},
        chart({title: "max |g|", x: violation.x, series: violation.series, spans: true, log: true, shown: 1000, marks, height: 320}),
        compared.length ? chart({title: "error against the smooth branch [rad]", x: error.x, series: error.series, spans: true, log: true, shown: 1000, marks, height: 320}) : null),
      table([{name: "formulation", left: true}, {name: "integrator", left: true}, {name: "ended", left: true}, {name: "passage", left: true},
             {name: "reached [s]", digits: 5}, {name: "error at the end", digits: 2}],
        fold.runs.map(r => [r.formulation, r.integrator, el("span", {class: r.status === "finished" ? "ok" : "bad"}, r.status.replace("_", " ")),
          r.passages.map(p => p.passage + " at " + fmt(p.t, 4) + " s").join(", ") || "–", r.t_reached,
          r.error ? r.error[r.error.length - 1] : null]))));
  }

  // ---- stability ----
  const stability = documentOf("stability");
  if (stability) {
    const x = unique(stability.points.map(p => p.step)).sort((a, b) => a - b);
    const series = [], without = [];
    unique(stability.points.map(p => p.integrator)).forEach((name, i) => {
      const at = key => x.map(h => {
        const p = stability.points.find(q => q.integrator === name && q.step === h);
        return p ? p[key] : null;
      });
      const predicted = at("predicted_gain_x_step"), observed = at("observed_gain_x_step");
      if (predicted.concat(observed).every(v => v === null)) return without.push(name);
      series.push({name: name + " predicted", unit: "", y: predicted, colour: colours[i]},
                  {name: name + " observed", unit: "", y: observed, colour: colours[i], points: true, lonely: true});
    });
    const worst = Math.max(...stability.points.map(p => Math.abs(p.relative_difference)).filter(v => !Number.isNaN(v)));
    page.append(section("How far gains and steps may go", source("stability"),
      el("p", {}, "Largest natural frequency of the feedback times step that keeps the constraints of the " + stability.mechanism +
        " with fixed steps. Prediction and observation differ by at most " + fmt(100 * worst, 2) + " %." +
        (without.length ? " Without a curve: " + without.join(", ") + ", with which no gain tried keeps them at these steps." : "")),
      chart({x, series, xlog: true, xlabel: "step [s]", ylabel: "gain × step", height: 320, shown: 1000,
        note: "Lines: predictions by the step map along the run. Dots: observed runs. Below a line fixed steps keep the constraints."})));
  }

  // ---- adaptive against certified ----
  const steps = documentOf("steps"), adaptive = documentOf("adaptive_vs_fixed");
  if (steps && adaptive && adaptive.sections.length) {
    const s = adaptive.sections[0];
    const limit = (s.limits || []).find(l => l.formulation === "baumgarte" && l.integrator === "rk4");
    const c = together(steps.runs, "step", r => r.formulation + " " + r.integrator);
    const series = c.series;
    const limits = limit ? [["law |R(hK)| < 1 of rk4", limit.law_step, [2, 3]], ["rk4 observed to keep the constraints", limit.observed_step, [8, 4]],
      ["rk4 certified", limit.certified_step, [8, 4, 2, 4]], ["rk4 needs for error " + fmt(s.conclusion ? s.conclusion.target : 0, 1), s.conclusion ? s.conclusion.needed_step : null, []]] : [];
    limits.forEach(([name, step, dash], i) => {
      if (step) series.push({name, unit: "", y: c.x.map(() => step), colour: ["#000", "#444", "#777", "#aaa"][i], dash});
    });
    page.append(section("Adaptive steps, and the limits of fixed steps", source("adaptive_vs_fixed"), source("steps"),
      chart({title: "Step sizes of adaptive runs, and the steps of rk4 that the law, the certificate, observation and accuracy allow", x: c.x, series, spans: true, log: true,
        ylabel: "step [s]", height: 320, shown: 1000})));
    const rows = [];
    for (const heat of s.heats) {
      rows.push({group: "equal " + heat.measure + ": " + fmt(heat.target, 1)});
      for (const r of heat.contestants.filter(x => x.reached).sort((a, b) => a.wall_seconds - b.wall_seconds))
        rows.push([r.formulation, r.integrator, r.steps, r.rhs_evaluations, r.jacobian_evaluations, r.factorizations, r.linear_solutions,
          1000 * r.wall_seconds, r.time_ratio, r.median_step]);
    }
    if (s.conclusion) page.append(el("p", {}, s.conclusion.text), el("p", {class: "soft"}, adaptive.grid || ""));
    for (const sentence of s.conclusions || []) page.append(el("p", {}, sentence));
    page.append(el("details", {}, el("summary", {}, "At equal accuracy"), table([{name: "formulation", left: true}, {name: "integrator", left: true}, {name: "steps", digits: 6},
      {name: "right-hand sides", digits: 6}, {name: "Jacobians", digits: 6}, {name: "factorisations", digits: 6}, {name: "solutions", digits: 6},
      {name: "time [ms]"}, {name: "time ratio"}, {name: "median step [s]"}], rows)));
  }

  // ---- scaling ----
  const scaling = documentOf("scaling"), sizes = scaling ? scaling.sizes.map(s => ({n: s.size, solver: s.linear_solver, runs: s.runs})) : [];
  let large = [];
  if (sizes.length) {
    const names = unique(sizes.flatMap(s => s.runs.map(label)));
    const x = sizes.map(s => s.n);
    const series = names.map(name => ({name, unit: "ms", points: true, y: sizes.map(s => {
      const r = s.runs.find(q => label(q) === name && reached(q));
      return r ? cost(r) / r.steps : null;
    })}));
    const rows = sizes.flatMap(s => s.runs.map(r => [s.n, label(r), s.solver, r.steps, cost(r), reached(r) ? cost(r) / r.steps : null]));
    large = sizes[sizes.length - 1].runs.filter(holding).sort((a, b) => cost(a) - cost(b));
    page.append(section("Scaling", source("scaling"), chart({title: "Time per step, chain of N rods", x, series, xlog: true, log: true, xlabel: "N", ylabel: "time per step [ms]",
      height: 340, shown: 1000}), el("details", {}, el("summary", {}, "The numbers"), table([{name: "N", digits: 5, derived: true}, {name: "run", left: true}, {name: "linear solver", left: true},
      {name: "steps", digits: 6}, {name: "time [ms]"}, {name: "per step [ms]", derived: true}], rows))));
  }

  // ---- analyses: pages of their own ----
  if (data.analyses.length)
    page.append(section("Analyses", el("p", {class: "soft"}, "Questions beyond one motion, each with a page of its own beside this one."),
      table([{name: "page", left: true, wrap: true}, {name: "command", left: true, wrap: true}],
        data.analyses.map(a => [el("a", {href: a.page}, a.question), el("code", {}, a.command)]))));

  // ---- chooser, from all of the above ----
  const sentences = [];
  if (drift) {
    const ended = drift.runs.filter(r => r.status === "finished").map(r => ({r, worst: Math.max(...r.violation)})).sort((a, b) => a.worst - b.worst);
    const tight = ended.filter(x => x.worst < 1e-12);
    if (tight.length) sentences.push(["Constraints to rounding over " + fmt(drift.t_end) + " s", tight.map(x => x.r.formulation).join(", ")]);
  }
  if (fold) {
    const through = fold.runs.filter(r => r.status === "finished" && r.error && r.error[r.error.length - 1] < 1e-3);
    const not = fold.runs.filter(r => !through.includes(r));
    sentences.push(["Through the fold on the smooth branch", through.map(r => r.formulation).join(", ") || "none"]);
    if (not.length) sentences.push(["Not through it, or on another branch", not.map(r => r.formulation).join(", ")]);
  }
  if (large.length) sentences.push(["Largest chain (N = " + sizes[sizes.length - 1].n + ")", "cheapest: " + label(large[0]) + ", " + fmt(cost(large[0]), 2) + " ms"]);
  if (sentences.length)
    page.append(section("What to choose when", el("p", {class: "soft"}, "Derived from the runs above, nothing else."),
      table([{name: "you need", left: true, wrap: true}, {name: "the data say", left: true, wrap: true}], sentences)));
  page.append(section("What ran", table([{name: "command", left: true, wrap: true}, {name: "data", left: true}, {name: "time [s]"}],
    data.parts.map(p => [el("code", {}, p.command), el("span", {}, el("a", {href: p.file}, p.file), " ", el("a", {href: p.csv}, "csv")), p.seconds]))));
  page.append(el("p", {class: "soft"}, "Curves by uPlot (MIT licence, in this file)."));
})();
