// The page of an analysis: parts with moving pictures, curves and tables, as the data say.

(function () {
  const d = JSON.parse(document.getElementById("data").textContent), page = document.getElementById("page");
  const picture = s => el("div", {class: "card"}, s.title ? el("h3", {}, s.title) : null, s.text ? el("p", {class: "soft"}, s.text) : null,
                          makeScene(s.scene, []));
  const rows = t => table(t.columns, t.rows);
  page.append(el("h1", {}, d.title),
    el("div", {class: "verdict" + (d.tone ? " " + d.tone : "")}, el("b", {}, d.verdict), d.notes.map(text => el("p", {}, text))),
    el("div", {class: "facts"}, d.facts.map(([name, value]) => el("div", {}, el("span", {}, name), value))));
  for (const part of d.parts) {
    const curves = part.charts.map(c => chart({title: c.title, x: c.x, xlabel: c.xlabel, series: c.series, time: true, shown: 6}));
    page.append(section(part.title, part.text ? el("p", {}, part.text) : null,
      part.scenes.length ? el("div", {class: "grid"}, part.scenes.map(picture)) : null,
      part.charts.length ? el("div", {class: "grid"}, curves) : null,
      part.tables.map(t => t.rows.length > 15 ? el("details", {}, el("summary", {}, t.rows.length + " " + t.what), rows(t))
        : [part.tables.length > 1 ? el("h3", {style: "margin-top:14px"}, t.what) : null, rows(t)]).flat()));
  }
  page.append(el("p", {class: "soft"}, "sunlagrange " + d.version + "; curves by uPlot (MIT licence, in this file)."));
})();
