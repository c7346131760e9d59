// SPDX-License-Identifier: BSD-3-Clause
// The page of an analysis: parts with moving pictures, curves and tables, as the data say.

(function () {
  const d = JSON.parse(document.getElementById("data").textContent), page = document.getElementById("page");
  const picture = s => el("div", {class: "card"}, s.title ? el("h3", {}, s.title) : null, s.text ? el("p", {class: "soft"}, s.text) : null,
                          makeScene(s.scene, []));
  // Points with one scale for both axes; the frame has round numbers at its corners.
  const plane = p => {
    const canvas = el("canvas", {class: "scene", role: "img", "aria-label": p.title});
    const span = k => p.groups.flatMap(g => g[k]).reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
    const [x0, x1] = span("x"), [y0, y1] = span("y"), legend = el("p", {class: "soft"});
    for (const g of p.groups) legend.append(el("span", {style: "color:" + g.colour}, "● "), g.name + "   ");
    canvas.style.aspectRatio = "1.25";
    canvas.style.maxHeight = "66vh";
    const draw = () => {
      const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const ctx = canvas.getContext("2d"), edge = {left: 56, right: 12, top: 12, bottom: 40};
      ctx.scale(ratio, ratio);
      const scale = Math.min((width - edge.left - edge.right) / Math.max(x1 - x0, 1e-12), (height - edge.top - edge.bottom) / Math.max(y1 - y0, 1e-12));
      const step = Math.pow(10, Math.floor(Math.log10(80 / scale))), tick = [1, 2, 5, 10].map(f => f * step).find(s => s * scale >= 60) || 10 * step;
      const cx = edge.left + (width - edge.left - edge.right) / 2, cy = edge.top + (height - edge.top - edge.bottom) / 2;
      const px = x => cx + scale * (x - (x0 + x1) / 2), py = y => cy - scale * (y - (y0 + y1) / 2);
      ctx.font = "12px system-ui";
      ctx.lineWidth = 1;
      ctx.strokeStyle = "#e6e6e6";
      ctx.fillStyle = "#333";
      const line = (a, b, c, e) => { ctx.beginPath(); ctx.moveTo(a, b); ctx.lineTo(c, e); ctx.stroke(); };
      ctx.textAlign = "center";
      for (let x = Math.ceil((x0 + (edge.left - px(x0)) / scale) / tick) * tick; px(x) <= width - edge.right; x += tick) {
        line(px(x), edge.top, px(x), height - edge.bottom);
        ctx.fillText(fmt(Math.abs(x) < 1e-9 * tick ? 0 : x), px(x), height - edge.bottom + 15);
      }
      ctx.textAlign = "right";
      for (let y = Math.ceil((y0 - (height - edge.bottom - py(y0)) / scale) / tick) * tick; py(y) >= edge.top; y += tick) {
        line(edge.left, py(y), width - edge.right, py(y));
        ctx.fillText(fmt(Math.abs(y) < 1e-9 * tick ? 0 : y), edge.left - 5, py(y) + 4);
      }
      ctx.textAlign = "center";
      ctx.fillText(p.xlabel, cx, height - 6);
      ctx.save();
      ctx.translate(12, cy);
      ctx.rotate(-Math.PI / 2);
      ctx.fillText(p.ylabel, 0, 0);
      ctx.restore();
      for (const g of p.groups) {
        ctx.fillStyle = g.colour;
        const size = g.shade.length ? 4 : 5;
        g.x.forEach((x, i) => {
          ctx.globalAlpha = g.shade.length ? 0.15 + 0.75 * g.shade[i] : 1;
          ctx.fillRect(px(x) - size / 2, py(g.y[i]) - size / 2, size, size);
        });
        ctx.globalAlpha = 1;
      }
    };
    new ResizeObserver(draw).observe(canvas);
    return el("div", {class: "card"}, p.title ? el("h3", {}, p.title) : null, canvas, legend);
  };
  // Facts have three digits, as those of runs.
  const short = text => text.replace(/-?\d+\.\d+(e[-+]?\d+)?/g, x => x.replace(/e.*|\D/g, "").replace(/^0+/, "").length > 4 ? fmt(Number(x)) : x);
  const rows = t => table(t.columns, t.rows);
  page.append(el("h1", {}, d.title),
    el("div", {class: "verdict" + (d.tone ? " " + d.tone : "")}, el("b", {}, d.verdict), d.notes.map(text => el("p", {}, text))),
    el("div", {class: "facts"}, d.facts.filter(([, value]) => !/^[-–]?( |$)/.test(value)).map(([name, value]) => el("div", {}, el("span", {}, name), short(value)))));
  // A chart for each unit.
  const by_unit = c => [...new Set(c.series.map(s => s.unit))].map((unit, i, units) => Object.assign({}, c,
    {title: c.title + (units.length > 1 && unit ? " [" + unit + "]" : ""), series: c.series.filter(s => s.unit === unit)}));
  for (const part of d.parts) {
    const curves = part.charts.flatMap(by_unit).map(c => chart({title: c.title, x: c.x, xlabel: c.xlabel, series: c.series, time: true, shown: c.shown}));
    page.append(section(part.title, part.text ? el("p", {}, part.text) : null,
      part.scenes.length ? el("div", {class: "grid"}, part.scenes.map(picture)) : null,
      part.planes.length ? el("div", {class: "grid"}, part.planes.map(plane)) : null,
      part.charts.length ? el("div", {class: "grid"}, curves) : null,
      part.tables.map(t => t.rows.length > 15 ? el("details", {}, el("summary", {}, t.rows.length + " " + t.what), rows(t))
        : [part.tables.length > 1 ? el("h3", {style: "margin-top:14px"}, t.what) : null, rows(t)]).flat()));
  }
  page.append(el("p", {class: "soft"}, "sunlagrange " + d.version + (d.parts.some(part => part.charts.length) ? "; curves by uPlot (MIT licence, in this file)." : "")));
})();
