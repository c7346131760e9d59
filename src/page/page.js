// SPDX-License-Identifier: BSD-3-Clause
"use strict";
// Elements, numbers, tables and curves, which the page of a run and the page of comparisons share.

const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7a7a00"];  // Okabe-Ito
const dashes = [[], [8, 4], [2, 3], [9, 3, 2, 3]];
const few_roundings = 16 * Number.EPSILON;
const visible = 1e-5;  // changes of a curve that can be seen, relative to its values

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}

// Three significant digits as people write them: 0.0123, 1.2e-7, 950.
function fmt(x, digits = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  const text = x.toPrecision(digits);
  return text.includes("e") ? String(Math.round(x)) : text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

// The label of a tick, with as many digits as the distance of the ticks needs.
function tick_text(x, distance) {
  if (Math.abs(x) < 1e-6 * distance) return "0";
  const power = Math.floor(Math.log10(distance) + 1e-9), halves = distance / Math.pow(10, power);
  const digits = Math.floor(Math.log10(Math.abs(x)) + 1e-9) - power + (Math.abs(halves - Math.round(halves)) < 1e-6 ? 1 : 2);
  return fmt(x, Math.max(1, Math.min(15, digits)));
}

// The least and the largest known value; [Infinity, -Infinity] without one.
function span_of(y) {
  return y.reduce(([low, high], v) => v === null ? [low, high] : [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
}

function is_constant(y) {
  const [low, high] = span_of(y);
  return high >= low && high - low <= visible * Math.max(Math.abs(low), Math.abs(high));
}

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

// rows: arrays of texts, numbers or nodes; a row may be {group: "text"}; columns: [{name, left, digits,
// wrap, derived: the numbers are computed here, and in no data}].
function table(columns, rows) {
  const head = el("tr", {}, columns.map(c => el("th", {class: c.left ? "l" : null}, c.name)));
  const body = rows.map(row => {
    if (row.group) return el("tr", {class: "group"}, el("td", {colspan: columns.length}, row.group));
    const cells = row.cells || row;
    return el("tr", {class: row.best ? "best" : null}, cells.map((cell, i) => {
      const c = columns[i];
      const shown = typeof cell === "number" || cell === null ? fmt(cell, c.digits || 3) : cell;
      const names = [c.left ? "l" : "", c.wrap ? "wrap" : ""].filter(Boolean).join(" ");
      const exact = typeof cell === "number" && !c.derived ? String(cell) : null;
      return el("td", {class: names || null, "data-value": exact}, shown);
    }));
  });
  const holder = el("div", {class: "scroll"}, el("table", {class: "data"}, el("thead", {}, head), el("tbody", {}, body)));
  new ResizeObserver(() => holder.classList.toggle("more", holder.scrollWidth > holder.clientWidth + 1)).observe(holder);
  return holder;
}

// A noisy curve as an envelope: the largest value of each of at most `most` spans of x, and the smallest one as `low`.
function envelope(x, series, most = 150) {
  const size = Math.max(1, Math.ceil(x.length / most)), spans = [];
  for (let k = 0; k < x.length; k += size) spans.push([k, Math.min(x.length, k + size)]);
  const of = (y, choose) => spans.map(([from, to]) => {
    const known = y.slice(from, to).filter(v => v !== null);
    return known.length ? choose(...known) : null;
  });
  return {x: spans.map(([from, to]) => x[Math.floor((from + to - 1) / 2)]),
          series: series.map(s => Object.assign({}, s, {y: of(s.y, Math.max), low: of(s.y, Math.min), error: undefined}))};
}

const charts = [];

// Curves over one axis. options: title, x, series: [{name, unit, y, points, lonely (points only), dash, width, colour}], xlabel, ylabel, xlog, log, step,
// height, marks: [{t, kind, text}]; series with an error: a band of that half width, with `low`: a band from there to y; shown: how many at first, time: the axis is the
// time of the run, spans: curves go on over what is not known.
function chart(options) {
  const o = Object.assign({height: 240, xlabel: "t [s]", ylabel: "", shown: 6, marks: []}, options);
  const holder = el("div", {class: "plot"});
  const card = el("div", {class: "card"}, o.title ? el("h3", {}, o.title) : null, holder,
                  o.note ? el("p", {class: "soft"}, o.note) : null);
  const is_drawn = value => value !== null && (!o.log || value > 0);
  const lines = o.series.some(s => !s.points);
  if (!o.series.some(s => s.y.some(is_drawn)) || lines && o.x.length < 2) {
    holder.append(el("p", {class: "soft"}, o.x.length < 2 ? "There is one state only, and no curve." : "No value is known."));
    return card;
  }
  // uPlot's logarithmic axes end at 1e-16; below is rounding.
  const floor = y => y.map(value => !is_drawn(value) ? null : o.log ? Math.max(value, 1e-16) : value);
  // In the legend values stand only while the pointer is over the curves.
  const legend = digits => (u, v) => v === null || v === undefined ? "" : fmt(v, digits);
  const series = [{label: o.xlabel, value: legend(4)}];
  const dash_of = (s, i) => s.dash || dashes[Math.floor(i / colours.length) % dashes.length];
  o.series.forEach((s, i) => {
    const colour = s.colour || colours[i % colours.length];
    series.push({
      label: s.name + (s.unit ? " [" + s.unit + "]" : ""),
      stroke: colour,
      width: s.lonely ? 0 : s.width || 1.5,
      pxAlign: 0,  // whole pixels would make stairs of flat curves
      dash: dash_of(s, i),
      show: i < o.shown,
      spanGaps: Boolean(s.points || o.spans),
      paths: o.step ? uPlot.paths.stepped({align: -1}) : undefined,
      points: s.points ? {show: true, size: 7, fill: colour} : {show: false},
      value: legend(3),
    });
  });
  const axis = {stroke: "#333", grid: {stroke: "#e6e6e6", width: 1}, ticks: {stroke: "#bbb", width: 1}, font: "12px system-ui"};
  const ticks = (u, values, axis, space, distance) => values.map(v => v === null ? "" : tick_text(v, distance));
  const powers = (u, values) => values.map(v => v === null || v === 0 ? (v === 0 ? "0" : "") : fmt(v, 3));
  const drawMarks = u => {
    const {ctx, bbox} = u;
    for (const mark of o.marks) {
      const x = u.valToPos(mark.t, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.save();
      ctx.strokeStyle = mark.kind === "event" ? "#56B4E9" : "#CC79A7";
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.restore();
    }
  };
  const drawBands = u => {
    const {ctx, bbox} = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    o.series.forEach((s, i) => {
      const width = s.error || s.low;
      if (!width || !u.series[i + 1].show) return;
      // The band is broken where the curve is; in between, an error may be known at some states only.
      const pieces = [[]];
      s.y.forEach((v, k) => {
        if (!is_drawn(v) || s.low && s.low[k] === null) pieces.push([]);
        else if (width[k] !== null) pieces[pieces.length - 1].push(k);
      });
      const end = (k, side) => s.error ? s.y[k] + side * s.error[k] : side > 0 ? s.y[k] : o.log ? Math.max(s.low[k], u.scales.y.min) : s.low[k];
      const place = (k, side) => [u.valToPos(o.x[k], "x", true), u.valToPos(end(k, side), "y", true)];
      ctx.globalAlpha = 0.3;
      ctx.fillStyle = s.colour || colours[i % colours.length];
      for (const piece of pieces) {
        ctx.beginPath();
        piece.forEach(k => ctx.lineTo(...place(k, 1)));
        piece.reverse().forEach(k => ctx.lineTo(...place(k, -1)));
        ctx.fill();
      }
    });
    ctx.restore();
  };
  const tight = (u, low, high) => low === null || !(low > 0) ? [null, null] : uPlot.rangeLog(low, high, 10, false);
  // Constant curves are drawn as such: uPlot would show their rounding, and zero in the range 0 ... 100.
  const around = (u, low, high) => {
    if (low === null) return [null, null];
    const size = Math.max(Math.abs(low), Math.abs(high)), middle = 0.5 * (low + high);
    if (size < 1e-15) return [-1, 1];
    return high - low <= visible * size ? [middle - 0.1 * size, middle + 0.1 * size] : uPlot.rangeNum(low, high, 0.1, true);
  };
  // Labels of a logarithmic axis across: every decade, or every second, ... so that they do not touch.
  const decades = (u, values) => {
    const {min, max} = u.scales.x, between = Math.ceil(56 * Math.log10(max / min) / Math.max(1, u.bbox.width / devicePixelRatio));
    const power = v => Math.round(Math.log10(v));
    return powers(u, values.map(v => v === null || between < 2 || Math.abs(Math.log10(v) - power(v)) < 1e-9 && power(v) % between === 0 ? v : null));
  };
  const now = el("div", {class: "now"});
  let time = null;  // at which the line of the moving picture stands
  const drawTime = u => {
    const x = time === null ? -1 : u.valToPos(time, "x"), inside = x >= 0 && x <= u.over.clientWidth;
    now.style.cssText = inside ? "top:0;left:" + x + "px;height:" + u.over.clientHeight + "px" : "display:none";
  };
  // In the legend a piece of each line.
  const drawSamples = () => holder.querySelectorAll(".u-legend .u-series").forEach((row, i) => {
    const marker = row.querySelector(".u-marker"), s = o.series[i - 1];
    if (!marker || !s) return;
    const colour = s.colour || colours[(i - 1) % colours.length], dash = dash_of(s, i - 1);
    let end = 0;
    const stops = dash.map((length, k) => {
      const begin = end;
      end += length;
      return (k % 2 ? "transparent " : colour + " ") + begin + "px " + end + "px";
    });
    marker.style.cssText = s.lonely ? "width:7px;height:7px;border-radius:50%;background:" + colour
      : "width:26px;height:2px;background:" + (dash.length ? "repeating-linear-gradient(to right," + stops + ")" : colour);
  });
  const make = () => {
    const u = new uPlot({
      width: Math.max(260, holder.clientWidth),
      height: o.height,
      cursor: o.time ? {sync: {key: "time"}} : {},
      scales: {x: Object.assign({time: false, distr: o.xlog ? 3 : 1}, o.xlog ? {range: tight} : {}),
               y: Object.assign({distr: o.log ? 3 : 1}, o.log ? {range: tight} : {range: o.yrange || around})},
      axes: [Object.assign({label: o.xlabel, labelSize: 20, size: 34, values: o.xlog ? decades : ticks}, axis),
             Object.assign({label: o.ylabel, labelSize: 20, size: 58, values: o.log ? powers : ticks}, axis)],
      series,
      hooks: {draw: [drawMarks, drawTime], drawAxes: [drawBands]},
    }, [o.x].concat(o.series.map(s => floor(s.y))), holder);
    drawSamples();
    u.over.append(now);
    charts.push({u, card, time: t => {
      time = o.time ? t : null;
      drawTime(u);
    }});
    new ResizeObserver(() => {
      const width = holder.clientWidth;
      if (width > 0 && Math.abs(width - u.width) > 1) u.setSize({width, height: o.height});
    }).observe(holder);
  };
  requestAnimationFrame(make);
  return card;
}

function setTime(t) {
  for (const c of charts) c.time(t);
}

// For checks: everything that reaches beyond the width of the page, scrolling areas excepted.
function cutElements() {
  const width = document.documentElement.clientWidth, cut = [];
  for (const node of document.querySelectorAll("main *")) {
    if (node.closest(".scroll") && !node.matches(".scroll")) continue;
    const box = node.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 1 || box.left < -1)) cut.push(node.tagName + "." + node.className);
  }
  return cut;
}
