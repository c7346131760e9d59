// SPDX-License-Identifier: BSD-3-Clause
// The moving picture: shapes of Drawing, in the plane or projected from space, on a canvas.

let hulls_explained = false;  // once a page

// joints: {t, list} of the forces of joints along the same axis, or null.
function makeScene(scene, marks, joints = null) {
  const planar = scene.planar, size = planar ? 2 : 3;
  const canvas = el("canvas", {class: "scene", "aria-label": "moving picture of the mechanism"});
  const at = (frame, k) => {
    const f = scene.frames[frame], i = k * size;
    return [f[i], f[i + 1], planar ? 0 : f[i + 2]];
  };
  let next = 0;
  const shapes = scene.shapes.map(s => {
    const shape = Object.assign({first: next}, s);
    next += s.points;
    return shape;
  });
  const add = (a, b, f = 1) => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = a => {
    const l = Math.sqrt(dot(a, a));
    return l > 0 ? a.map(x => x / l) : a;
  };

  const places_of = {pin: 0, hinge: 0, block: 0, rod: 1};  // of joints

  // A body in space is drawn by its solids, if it has some; else as links between its joints: the shortest tree of its points, without the centre of mass where there are two others. Its box of inertia, whose
  // centre that is, is then shown on demand.
  const distance = (a, b) => Math.sqrt(dot(add(a, b, -1), add(a, b, -1)));
  const same = (a, b) => distance(a, b) <= 1e-6 * Math.max(1e-9, Math.sqrt(dot(a, a)), Math.sqrt(dot(b, b)));
  const points = s => [...Array(s.points).keys()];
  const boxes = shapes.filter(s => s.kind === "inertia"), solids = shapes.filter(s => s.part_of >= 0);
  // The part of p that lies beyond a solid, with points as in model/drawing.hpp.
  const beyond = (s, p) => {
    const at0 = k => at(0, s.first + k);
    if (s.kind === "sphere") return Math.max(0, distance(p, at0(0)) - distance(at0(1), at0(0)));
    if (s.kind === "cylinder") {
      const axis = add(at0(1), at0(0), -1), part = Math.max(0, Math.min(1, dot(add(p, at0(0), -1), axis) / (dot(axis, axis) || 1)));
      return Math.max(0, distance(p, add(at0(0), axis, part)) - distance(at0(2), at0(0)));
    }
    let nearest = at0(0);  // in a box: as far along each edge as p is
    for (const k of [1, 2, 4]) {
      const edge = add(at0(k), at0(0), -1);
      nearest = add(nearest, edge, Math.max(0, Math.min(1, dot(add(p, at0(0), -1), edge) / (dot(edge, edge) || 1))));
    }
    return distance(p, nearest);
  };
  const middle = s => points(s).reduce((sum, k) => add(sum, at(0, s.first + k), 1 / s.points), [0, 0, 0]);
  for (const s of shapes) {
    if (planar || s.kind !== "body") continue;
    const place = k => at(0, s.first + k), box = boxes.find(b => same(middle(b), place(0)));
    const own_solids = solids.filter(o => shapes[o.part_of] === s);
    s.solid = own_solids.length > 0;
    let own = points(s).filter(k => !points(s).slice(0, k).some(l => same(place(l), place(k))));
    if (box && own.length > 2) own = own.slice(1);
    // Solids that do not reach a joint of their body have links besides.
    const joint_at = p => shapes.some(o => o.kind in places_of && o.of !== s.of && same(at(0, o.first + places_of[o.kind]), p));
    const reach = Math.max(0, ...points(s).map(k => distance(place(k), place(0))));
    s.linked = !s.solid || points(s).some(k => joint_at(place(k)) && own_solids.every(o => beyond(o, place(k)) > 0.05 * reach));
    s.links = [];
    for (const linked = own.splice(0, 1); own.length > 0;) {
      let best = null;
      for (const a of linked) for (const b of own) if (!best || distance(place(a), place(b)) < best[2]) best = [a, b, distance(place(a), place(b))];
      s.links.push(best.slice(0, 2));
      linked.push(...own.splice(own.indexOf(best[1]), 1));
    }
    if (box && (s.links.length > 0 || s.solid)) box.asked = true;
  }

  // The points that fill the picture: all points at all times but directions.
  const places = {gravity: 0, rail: [0, 2], hinge: [0], block: [0], disc: [0, 1]};
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const include = p => p.forEach((x, i) => {
    low[i] = Math.min(low[i], x);
    high[i] = Math.max(high[i], x);
  });
  for (let f = 0; f < scene.frames.length; ++f) {
    for (const s of shapes) {
      if (s.kind === "gravity" || s.asked) continue;
      const which = places[s.kind] || [...Array(s.points).keys()];
      for (const k of which) if (s.kind !== "rail" || k === 2) include(at(f, s.first + k));
      if (["disc", "cylinder", "sphere"].includes(s.kind)) {  // round about points with the radius from the first to the last
        const ends = {disc: [0], cylinder: [0, 1], sphere: [0]}[s.kind].map(k => at(f, s.first + k));
        const r = distance(at(f, s.first + (s.kind === "cylinder" ? 2 : 1)), ends[0]);
        for (const c of ends) for (const d of [[r, r, planar ? 0 : r], [-r, -r, planar ? 0 : -r]]) include(add(c, d));
      }
    }
  }
  const centre = [0, 1, 2].map(i => 0.5 * (low[i] + high[i]));
  const extent = Math.max(...[0, 1, 2].map(i => high[i] - low[i])) || 1;
  const diagonal = Math.sqrt([0, 1, 2].reduce((sum, i) => sum + (high[i] - low[i]) ** 2, 0)) || 1;

  // Rails reach as far as what slides on them, and a little further.
  for (const s of shapes) {
    if (s.kind !== "rail") continue;
    s.from = Infinity;
    s.to = -Infinity;
    for (let f = 0; f < scene.frames.length; ++f) {
      const p = at(f, s.first), d = add(at(f, s.first + 1), p, -1), x = dot(add(at(f, s.first + 2), p, -1), d);
      s.from = Math.min(s.from, x);
      s.to = Math.max(s.to, x);
    }
    s.from -= 0.06 * extent;
    s.to += 0.06 * extent;
  }
  let body = 0;
  const bodyColours = colours.filter(c => c !== "#000000");
  for (const s of shapes) if (s.kind === "body") s.colour = bodyColours[body++ % bodyColours.length];
  for (const s of solids) Object.assign(s, {colour: shapes[s.part_of].colour, of: shapes[s.part_of].of});
  // a damper beside a spring between the same points
  for (const s of shapes) {
    if (s.kind === "damper")
      s.beside = shapes.some(o => o.kind === "spring" && [0, 1].every(k => String(at(0, o.first + k)) === String(at(0, s.first + k))));
  }
  const gravity = shapes.find(s => s.kind === "gravity");
  const down = gravity ? at(0, gravity.first) : planar ? [0, -1, 0] : [0, 0, -1];
  const up = planar ? [0, 1, 0] : down.map(x => -x);
  const helper = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const side = unit(cross(up, unit(cross(helper, up))));
  const ahead = unit(cross(up, side));

  const camera = {yaw: -0.6, pitch: 0.35, zoom: 1};
  let frame = 0, playing = false, speed = 1, names = false, shown_boxes = false, forces = false, path_of = null, width = 0, height = 0;

  // Forces of joints: at the place that the drawing has for the joint, on the first of its bodies.
  const pulls = [];
  for (const j of joints ? joints.list : []) {
    const place = shapes.find(s => s.of === j.joint && s.kind in places_of);
    if (place && !pulls.some(p => p.place === place)) pulls.push({place, force: ["Fx", "Fy", "Fz"].map(k => j[k])});
  }
  const strongest = Math.max(0, ...pulls.map(p => Math.max(...joints.t.map((unused, i) => Math.hypot(...p.force.map(y => y[i]))))));
  const sample = t => {  // of the forces
    let low = 0, high = joints.t.length - 1;
    while (high - low > 1) {
      const k = (low + high) >> 1;
      if (joints.t[k] <= t) low = k;
      else high = k;
    }
    return t - joints.t[low] < joints.t[high] - t ? low : high;
  };

  // Points whose path can be drawn, by the body and what it has there.
  const traced = [];
  for (const s of shapes) {
    if (s.kind !== "body") continue;
    for (const k of points(s)) {
      const p = at(0, s.first + k);
      if (traced.some(t => t.body === s.of && same(at(0, t.point), p))) continue;
      const there = shapes.find(o => ["pin", "hinge", "block", "mass", "spring", "damper"].includes(o.kind) && points(o).some(l => (l === 0 || !(o.kind in places_of)) && same(at(0, o.first + l), p)));
      traced.push({body: s.of, point: s.first + k, name: s.of + (there ? there.kind === "mass" ? ", centre of mass" : " at " + there.of : ", point " + (k + 1))});
    }
  }

  // p -> [x, y, depth] in pixels; depth grows away from the viewer.
  function projector() {
    let right = [1, 0, 0], top = [0, 1, 0], view = [0, 0, -1];
    if (!planar) {
      const c = Math.cos(camera.yaw), s = Math.sin(camera.yaw);
      right = add(side.map(x => c * x), ahead, s);
      const into = add(ahead.map(x => c * x), side, -s);
      top = add(up.map(x => Math.cos(camera.pitch) * x), into, Math.sin(camera.pitch));
      view = add(into.map(x => Math.cos(camera.pitch) * x), up, -Math.sin(camera.pitch));
    }
    const margin = forces ? 80 : 46;  // room for arrows
    const scale = camera.zoom * (planar
      ? Math.min((width - 2 * margin) / ((high[0] - low[0]) || extent), (height - 2 * margin) / ((high[1] - low[1]) || extent))
      : Math.min((width - margin) / diagonal, (height - margin) / (0.82 * diagonal)));
    const project = p => {
      const d = add(p, centre, -1);
      return [width / 2 + scale * dot(d, right), height / 2 - scale * dot(d, top), dot(d, view)];
    };
    return {project, scale, right, top};
  }

  function hull(points) {
    const sorted = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = list => {
      const chain = [];
      for (const p of list) {
        while (chain.length > 1) {
          const a = chain[chain.length - 2], b = chain[chain.length - 1];
          if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
          chain.pop();
        }
        chain.push(p);
      }
      return chain.slice(0, -1);
    };
    return half(sorted).concat(half(sorted.slice().reverse()));
  }

  function draw() {
    const ratio = devicePixelRatio || 1, ctx = canvas.getContext("2d");
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    if (!(width > 0)) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.lineJoin = ctx.lineCap = "round";
    const view = projector(), {project, scale} = view;
    const world = k => at(frame, k);
    const path = (points, closed) => {
      ctx.beginPath();
      points.forEach((p, i) => i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1]));
      if (closed) ctx.closePath();
    };
    const line = (points, colour, w, dash = []) => {
      ctx.strokeStyle = colour;
      ctx.lineWidth = w;
      ctx.setLineDash(dash);
      path(points);
      ctx.stroke();
      ctx.setLineDash([]);
    };
    const dotAt = (p, r, fill, stroke) => {
      ctx.beginPath();
      ctx.arc(p[0], p[1], r, 0, 2 * Math.PI);
      ctx.fillStyle = fill;
      ctx.fill();
      if (stroke) {
        ctx.strokeStyle = stroke;
        ctx.lineWidth = 1.6;
        ctx.stroke();
      }
    };
    // towards white or black by a part of -1 ... 1
    const shaded = (colour, part) => {
      const of = k => parseInt(colour.slice(k, k + 2), 16);
      return "rgb(" + [1, 3, 5].map(k => Math.round(part > 0 ? of(k) + part * (255 - of(k)) : of(k) * (1 + part))).join(",") + ")";
    };
    // x along a-b, y across, in pixels
    const along = (a, b) => {
      const l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, c = (b[0] - a[0]) / l, s = (b[1] - a[1]) / l;
      return {l, to: (x, y) => [a[0] + c * x - s * y, a[1] + s * x + c * y]};
    };
    // The inside of an outline, from light to dark along a gradient.
    const solid = (s, gradient, outline) => {
      for (const [at, part] of [[0, 0.15], [0.3, 0.4], [1, -0.45]]) gradient.addColorStop(at, shaded(s.colour, part));
      path(outline, true);
      ctx.fillStyle = gradient;
      ctx.fill();
      ctx.strokeStyle = "rgba(60,60,60,.55)";
      ctx.lineWidth = 1;
      ctx.stroke();
    };
    const painters = {
      body(s, p) {
        ctx.fillStyle = s.colour;
        ctx.strokeStyle = s.colour;
        ctx.lineWidth = Math.max(5, Math.min(11, 0.018 * Math.min(width, height)));
        if (p.length === 1) return dotAt(p[0], 0.8 * ctx.lineWidth, s.colour);
        const outline = hull(p);
        path(outline.length > 1 ? outline : p, true);
        ctx.globalAlpha = 0.35;
        if (outline.length > 2) ctx.fill();
        ctx.globalAlpha = 0.9;
        ctx.stroke();
        ctx.globalAlpha = 1;
      },
      link(s, [a, b]) {
        const w = Math.max(6, Math.min(13, 0.022 * Math.min(width, height))), l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
        let n = [(b[1] - a[1]) / l, (a[0] - b[0]) / l];  // the side that has the light, from above and the left
        if (n[0] + 2 * n[1] > 0) n = n.map(x => -x);
        for (const [part, shade, off] of [[1, -0.4, 0], [0.72, 0, 0.1], [0.24, 0.55, 0.2]])
          line([a, b].map(p => [p[0] + off * w * n[0], p[1] + off * w * n[1]]), shaded(s.colour, shade), part * w);
      },
      inertia(s, p) { painters.box(s, p); },
      box(s, p) {
        const faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        faces.map(f => ({f, depth: f.reduce((sum, k) => sum + p[k][2], 0)})).sort((a, b) => b.depth - a.depth)
          .forEach(({f}) => {
            const [o, x, , y] = f.map(k => s.world[k]), n = unit(cross(add(x, o, -1), add(y, o, -1)));
            path(f.map(k => p[k]), true);
            ctx.globalAlpha = s.asked ? 0.25 : 1;
            ctx.fillStyle = shaded(s.colour || "#9fb0bf", 0.5 * Math.abs(dot(n, up)) + 0.25 * Math.abs(dot(n, view.right)) - 0.2);
            ctx.fill();
            ctx.globalAlpha = 1;
            ctx.strokeStyle = "rgba(60,60,60,.55)";
            ctx.lineWidth = 1;
            ctx.stroke();
          });
      },
      cylinder(s) {
        const [a, b, rim] = s.world, u = add(rim, a, -1), v = cross(unit(add(b, a, -1)), u);
        const turns = [...Array(40).keys()].map(i => 2 * Math.PI * i / 40);
        const ends = [a, b].map(c => turns.map(w => project(add(add(c, u, Math.cos(w)), v, Math.sin(w)))));
        const [p, q] = [a, b].map(project), f = along(p, q), r = scale * distance(rim, a);
        let [light, dark] = [f.to(0, -r), f.to(0, r)];
        if (light[0] - dark[0] + 2 * (light[1] - dark[1]) > 0) [light, dark] = [dark, light];
        solid(s, ctx.createLinearGradient(...light, ...dark), hull(ends.flat()));
        path(ends[p[2] < q[2] ? 0 : 1], true);
        ctx.fillStyle = shaded(s.colour, 0.3);
        ctx.fill();
        ctx.stroke();
      },
      sphere(s, [c]) {
        const r = scale * distance(s.world[1], s.world[0]);
        solid(s, ctx.createRadialGradient(c[0] - 0.35 * r, c[1] - 0.45 * r, 0, c[0], c[1], 1.1 * r),
              [...Array(60).keys()].map(i => 2 * Math.PI * i / 60).map(w => [c[0] + r * Math.cos(w), c[1] + r * Math.sin(w)]));
      },
      ground(s, [p]) {
        const g = project(add(s.world[0], down, 0.1 * extent)), a = along(p, Math.hypot(g[0] - p[0], g[1] - p[1]) > 2 ? g : [p[0], p[1] + 1]);
        const small = Math.min(1, Math.min(width, height) / 450), h = 14 * small, w = 10 * small;
        path([p, a.to(h, w), a.to(h, -w)], true);
        ctx.fillStyle = "#d0d0d0";
        ctx.fill();
        ctx.strokeStyle = "#555";
        ctx.lineWidth = 1.2;
        ctx.stroke();
        line([a.to(h, 1.5 * w), a.to(h, -1.5 * w)], "#555", 1.2);
        for (let y = -1.5 * w; y < 1.4 * w; y += 6) line([a.to(h, y + 5), a.to(h + 6, y)], "#555", 1);
      },
      mass(s, [p]) { dotAt(p, 4, "#1a1a1a", "#fff"); },
      pin(s, [p]) { dotAt(p, 4.5, "#fff", "#1a1a1a"); },
      hinge(s, p) {
        const d = add(s.world[1], s.world[0], -1), l = 0.035 * diagonal;
        line([project(add(s.world[0], d, -l)), project(add(s.world[0], d, l))], "#1a1a1a", 5);
        line([project(add(s.world[0], d, -0.9 * l)), project(add(s.world[0], d, 0.9 * l))], "#ddd", 2);
      },
      rod(s, p) { line(p, "#444", 3.5); },
      spring(s, [a, b]) {
        const f = along(a, b), teeth = 9, w = 7, lead = 0.12 * f.l, points = [a, f.to(lead, 0)];
        for (let i = 0; i < 2 * teeth; ++i) points.push(f.to(lead + (f.l - 2 * lead) * (i + 0.5) / (2 * teeth), i % 2 ? w : -w));
        line(points.concat([f.to(f.l - lead, 0), b]), "#009E73", 2);
      },
      damper(s, [a, b]) {
        const f = along(a, b), y = s.beside ? 14 : 0, m = 0.5 * f.l, w = 6, l = Math.min(14, 0.2 * f.l);
        line([a, f.to(0, y), f.to(m - l, y)], "#7a4f9a", 1.8);
        line([f.to(m + l, y - w), f.to(m - l, y - w), f.to(m - l, y + w), f.to(m + l, y + w)], "#7a4f9a", 1.8);
        line([f.to(m, y - w + 2), f.to(m, y + w - 2)], "#7a4f9a", 1.8);
        line([f.to(m, y), f.to(f.l, y), b], "#7a4f9a", 1.8);
      },
      rail(s) {
        const d = add(s.world[1], s.world[0], -1);
        line([project(add(s.world[0], d, s.from)), project(add(s.world[0], d, s.to))], "#8a8a8a", 1.6, [9, 4]);
      },
      block(s, p) {
        const d = add(s.world[1], s.world[0], -1), f = along(p[0], project(add(s.world[0], d, 0.1 * extent))), a = 13, b = 8;
        path([f.to(-a, -b), f.to(a, -b), f.to(a, b), f.to(-a, b)], true);
        ctx.fillStyle = "#cfd6dc";
        ctx.fill();
        ctx.strokeStyle = "#333";
        ctx.lineWidth = 1.4;
        ctx.stroke();
      },
      disc(s, p) {
        const [c, rim, tip] = s.world, u = add(rim, c, -1), v = cross(planar ? [0, 0, 1] : add(tip, c, -1), u), points = [];
        for (let i = 0; i < 60; ++i) {
          const a = 2 * Math.PI * i / 60;
          points.push(project(add(add(c, u, Math.cos(a)), v, Math.sin(a))));
        }
        path(points, true);
        ctx.fillStyle = "rgba(0,114,178,.18)";
        ctx.fill();
        ctx.strokeStyle = "#0072B2";
        ctx.lineWidth = 2.5;
        ctx.stroke();
        line([p[0], p[1]], "#0072B2", 2);
      },
      curve(s, p) { line(p, "#555", 1.6); },
      trace(s, [p]) { dotAt(p, 3, "#D55E00"); },
      gravity() {},
    };
    const orbit = k => line(scene.frames.map((unused, f) => project(at(f, k))), "rgba(213,94,0,.7)", 1.6);
    for (const s of shapes) if (s.kind === "trace") orbit(s.first);
    if (path_of !== null) orbit(path_of);
    const order = {rail: 0, curve: 0, trace: 0, box: 1, inertia: 1, body: 2, cylinder: 2, sphere: 2, link: 2, disc: 2, rod: 3, block: 3, spring: 4, damper: 4, hinge: 5, ground: 6, pin: 7, mass: 7, gravity: 8};
    const drawn = shapes.filter(s => !(s.solid && !s.linked) && (!s.asked || shown_boxes)).flatMap(s => s.links && s.links.length > 0
      ? s.links.map(ends => ({kind: "link", of: s.of, colour: s.colour, at: ends.map(k => s.first + k)})) : [s]);
    const items = drawn.map(s => {
      s.world = (s.at || points(s).map(k => s.first + k)).map(world);
      const shown = s.world.map(project);
      return {s, shown, depth: shown.reduce((sum, p) => sum + p[2], 0) / shown.length};
    });
    items.sort((a, b) => planar ? order[a.s.kind] - order[b.s.kind]
                                : b.depth - a.depth - 0.03 * diagonal * (order[b.s.kind] - order[a.s.kind]));
    for (const {s, shown} of items) painters[s.kind](s, shown);
    if (path_of !== null) dotAt(project(world(path_of)), 3.5, "#D55E00");
    if (forces && strongest > 0) {
      const k = sample(scene.t[frame]);
      let most = 0.25 * Math.min(width, height) / strongest;  // pixels for a newton, so that the tips stay inside at all times
      pulls.forEach(pull => scene.frames.forEach((unused, f) => {
        const from = at(f, pull.place.first + places_of[pull.place.kind]), p = project(from), now = sample(scene.t[f]);
        const tip = project(add(from, pull.force.map(y => y[now] || 0), most / scale));
        [width, height].forEach((end, i) => {
          const d = tip[i] - p[i], room = d > 0 ? end - 6 - p[i] : p[i] - 6;
          if (room > 0 && Math.abs(d) > room) most *= room / Math.abs(d);
        });
      }));
      const arrow = (p, tip, colour) => {
        const a = along(p, tip), head = Math.min(10, 0.5 * a.l);
        if (a.l < 1.5) return;
        line([p, a.to(a.l - 0.6 * head, 0)], "#fff", 4.5);
        line([p, a.to(a.l - 0.6 * head, 0)], colour, 2.4);
        path([tip, a.to(a.l - head, 0.45 * head), a.to(a.l - head, -0.45 * head)], true);
        ctx.fillStyle = colour;
        ctx.fill();
      };
      for (const pull of pulls) {
        const from = world(pull.place.first + places_of[pull.place.kind]), p = project(from);
        const tip = project(add(from, pull.force.map(y => y[k] || 0), most / scale));
        arrow(p, tip, "#B0003A");
      }
      const power = Math.pow(10, Math.floor(Math.log10(strongest))), round = [5, 2, 1].map(x => x * power).find(x => x <= strongest) || power;
      arrow([14, 18], [14 + most * round, 18], "#B0003A");
      ctx.font = "12px system-ui";
      ctx.fillStyle = "#444";
      ctx.fillText(fmt(round) + " N", 20 + most * round, 22);
    }
    if (names) {
      ctx.font = "12px system-ui";
      ctx.fillStyle = "#1a1a1a";
      const written = new Set();
      for (const {s, shown} of items) {
        if (!["body", "disc", "rod"].includes(s.kind) && !((s.kind === "link" || s.part_of >= 0) && !written.has(s.of))) continue;
        written.add(s.of);
        const p = shown.reduce((sum, x) => [sum[0] + x[0] / shown.length, sum[1] + x[1] / shown.length], [0, 0]);
        ctx.fillText(s.of, p[0] + 8, p[1] - 8);
      }
    }
    // axes and scale
    const o = [26, height - 26];
    ctx.font = "12px system-ui";
    [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]].slice(0, size).forEach(([name, e]) => {
      const tip = [o[0] + 20 * dot(e, view.right), o[1] - 20 * dot(e, view.top)];
      line([o, tip], "#777", 1.4);
      ctx.fillStyle = "#444";
      ctx.fillText(name, tip[0] + 3, tip[1] - 2);
    });
    if (gravity) {
      const a = along([width - 22, 16], [width - 22 + 20 * dot(down, view.right), 16 - 20 * dot(down, view.top)]);
      line([a.to(0, 0), a.to(a.l, 0)], "#777", 1.4);
      line([a.to(a.l - 6, 4), a.to(a.l, 0), a.to(a.l - 6, -4)], "#777", 1.4);
      ctx.fillText("g", width - 36, 24);
    }
    const power = Math.pow(10, Math.floor(Math.log10(110 / scale)));
    const length = [5, 2, 1].map(x => x * power).find(x => x * scale <= 110) || power;
    line([[width - 18 - length * scale, height - 16], [width - 18, height - 16]], "#444", 2);
    ctx.fillStyle = "#444";
    ctx.textAlign = "right";
    ctx.fillText(fmt(length) + " m", width - 18, height - 22);
    ctx.textAlign = "left";
  }

  const last = scene.frames.length - 1, span = scene.t[last] - scene.t[0] || 1;
  const axis = scene.axis, inTime = axis.seconds === 0;
  const seconds = inTime ? Math.min(12, Math.max(4, span)) : axis.seconds;  // of the viewer at speed 1
  const slider = el("input", {type: "range", min: 0, max: last, value: 0, "aria-label": inTime ? "time" : axis.name});
  const clock = el("span", {class: "soft", style: "min-width:8.5em"});
  const button = el("button", {onclick: () => play(!playing)}, "▶ play");
  const tempo = el("select", {"aria-label": "speed", onchange: () => { speed = Number(tempo.value); }},
    [0.1, 0.25, 0.5, 1, 2, 4].map(x => el("option", Object.assign({value: x}, x === 1 ? {selected: ""} : {}),
                                      inTime ? fmt(x * span / seconds) + " × real time" : "speed × " + x)));
  function show(f) {
    frame = Math.max(0, Math.min(last, f));
    slider.value = frame;
    clock.textContent = axis.name + " = " + fmt(scene.t[frame], 4) + (axis.unit ? " " + axis.unit : "");
    draw();
    setTime(scene.t[frame]);
  }
  let begin = 0, from = 0;
  function tick(now) {
    if (!playing) return;
    const f = from + (now - begin) / 1000 * speed * last / seconds;
    if (f >= last && !axis.loop) {
      show(last);
      return play(false);
    }
    show(Math.floor(f) % (last + 1));
    requestAnimationFrame(tick);
  }
  function play(on) {
    playing = on;
    button.textContent = on ? "❚❚ pause" : "▶ play";
    if (!on) return;
    if (frame === last) frame = 0;
    from = frame;
    begin = performance.now();
    requestAnimationFrame(tick);
  }
  slider.addEventListener("input", () => { play(false); show(Number(slider.value)); });
  tempo.addEventListener("change", () => { from = frame; begin = performance.now(); });
  let held = null;
  canvas.addEventListener("pointerdown", e => {
    if (planar) return;
    held = [e.clientX, e.clientY, camera.yaw, camera.pitch];
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", e => {
    if (!held) return;
    camera.yaw = held[2] - 0.01 * (e.clientX - held[0]);
    camera.pitch = Math.max(-1.55, Math.min(1.55, held[3] + 0.01 * (e.clientY - held[1])));
    draw();
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("wheel", e => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    camera.zoom *= Math.exp(-0.002 * e.deltaY);
    draw();
  }, {passive: false});
  const shape = planar ? (high[1] - low[1]) / ((high[0] - low[0]) || 1) : 0.62;
  canvas.style.aspectRatio = String(1 / Math.max(0.35, Math.min(0.8, shape + 0.08)));
  canvas.style.maxHeight = "66vh";
  new ResizeObserver(draw).observe(canvas);
  const choice = (words, change) => {
    const box = el("input", {type: "checkbox", onchange: () => { change(box.checked); draw(); }});
    return el("label", {}, box, " " + words);
  };
  const followed = el("select", {"aria-label": "path of a point", onchange: () => { path_of = followed.value === "" ? null : Number(followed.value); draw(); }},
    el("option", {value: ""}, "path of ..."), traced.map(t => el("option", {value: t.point}, t.name)));
  const choices = [choice("names", on => { names = on; }), strongest > 0 ? choice("joint forces", on => { forces = on; }) : null,
    boxes.some(s => s.asked) ? choice("boxes of inertia", on => { shown_boxes = on; }) : null, traced.length > 0 && last > 0 ? followed : null];
  const jumps = marks.length === 0 ? null : el("p", {class: "soft"}, "Go to: ", marks.slice(0, 12).map(m =>
    el("button", {title: m.text, onclick: () => { play(false); show(Math.round((m.t - scene.t[0]) / span * last)); }},
       m.kind + " " + fmt(m.t, 4) + " s")));
  const wanted = /t=([0-9.]+)/.exec(location.hash);  // #t=0.5: open in the middle
  requestAnimationFrame(() => requestAnimationFrame(() => show(wanted ? Math.round(Number(wanted[1]) * last) : 0)));
  const controls = last === 0 ? [] : [button, slider, clock, tempo];
  const has_hull = s => s.kind === "body" && hull(points(s).map(k => at(0, s.first + k))).length > 2;
  const hull_words = planar && !hulls_explained && shapes.some(has_hull) ? "Bodies are drawn as the hull of the points that joints and springs have on them." : null;
  if (hull_words) hulls_explained = true;
  const reached = shapes.some(s => s.solid && s.linked) ? " and links to the joints that these do not reach" : "";
  const drawn_as = ["by the shapes that the model gives them" + reached, "as links between their joints"]
    .filter((unused, k) => shapes.some(s => s.kind === "body" && Boolean(s.solid) === (k === 0)));
  return el("div", {}, canvas, el("div", {class: "controls"}, controls, choices), jumps,
            hull_words === null && planar ? null : el("p", {class: "soft"}, planar ? hull_words
               : "Drag to turn the camera, ctrl + wheel to come closer. Bodies are drawn " + drawn_as.join(", the others ") + (boxes.length > 0 ? "; boxes of inertia have their mass and inertia." : ".")));
}
