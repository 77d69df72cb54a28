"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const tip = byId("tip");

  // -- light and dark -------------------------------------------------------------------------
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let redraw = () => {};
  const setTheme = (name) => { root.dataset.theme = name; redraw(); };
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  byId("print").addEventListener("click", () => window.print());

  // -- the tooltip: text nodes only, since names may hold anything ----------------------------------
  const number = (value) => {
    const size = Math.abs(value);
    if (size !== 0 && (size < 0.01 || size >= 1e12)) return value.toPrecision(4);
    return value.toLocaleString(data.language, { maximumFractionDigits: 2 });
  };
  const withUnit = (value, unit) => (unit ? `${number(value)} ${unit}` : number(value));
  const load = (value) => (typeof value === "string" ? value : withUnit(value, data.units.load));
  const length = (value) => withUnit(value, data.units.distance);
  const money = (value) => withUnit(value, data.units.money);
  // One pass over the pattern, so that a value which holds braces stays as it is.
  const say = (key, values) => data.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const showTip = (event, title, lines) => {
    const heading = document.createElement("b");
    heading.textContent = title;
    tip.replaceChildren(heading);
    lines.forEach((line, index) => {
      if (index) tip.append(document.createElement("br"));
      tip.append(line);
    });
    tip.style.display = "block";
    const box = tip.getBoundingClientRect();
    const left = event.clientX + 16 + box.width > window.innerWidth ? event.clientX - 12 - box.width : event.clientX + 16;
    const top = Math.min(event.clientY + 14, window.innerHeight - box.height - 6);
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  const hideTip = () => { tip.style.display = "none"; };
  const routeLines = (route) => [
    say("js_load", { load: load(route.load), capacity: load(route.capacity), share: Math.round(100 * route.share) }),
    say(route.stops.length === 1 ? "js_stop" : "js_stops", { count: route.stops.length, distance: length(route.distance) }),
    say(route.time_cost ? "js_cost_parts_time" : "js_cost_parts", {
      cost: money(route.fixed_cost + route.travel_cost + route.time_cost),
      fixed: money(route.fixed_cost), travel: money(route.travel_cost), time: money(route.time_cost),
    }),
  ];
  const routeTitle = (index) => `${data.words.route} ${index + 1} · ${data.types[data.routes[index].type]}`;

  // -- routes on and off ----------------------------------------------------------------------
  const shown = data.routes.map(() => true);
  const shapes = [...document.querySelectorAll(".route")];
  const rows = [...document.querySelectorAll("#routelist .row")];
  const typeBoxes = [...document.querySelectorAll("#types input")];
  let pinned = -1;
  const refresh = () => {
    shapes.forEach((shape) => shape.classList.toggle("hidden", !shown[+shape.dataset.route]));
    rows.forEach((row, index) => { row.querySelector("input").checked = shown[index]; });
    typeBoxes.forEach((box) => {
      const mine = shown.filter((_, index) => data.routes[index].type === +box.value);
      box.checked = mine.some(Boolean);
      box.indeterminate = box.checked && !mine.every(Boolean);
    });
    redraw();
  };
  let lit = -1;
  const focus = (index) => {
    const chosen = index >= 0 ? index : pinned;
    if (chosen === lit) return;
    lit = chosen;
    rows.forEach((row, place) => row.classList.toggle("on", place === chosen));
    redraw();
  };
  const pin = (index) => {
    pinned = pinned === index ? -1 : index;
    focus(-1);
  };
  rows.forEach((row, index) => {
    row.addEventListener("pointerenter", () => focus(index));
    row.addEventListener("pointerleave", () => focus(-1));
    row.querySelector("input").addEventListener("change", (event) => { shown[index] = event.target.checked; refresh(); });
  });
  typeBoxes.forEach((box) => box.addEventListener("change", () => {
    data.routes.forEach((route, index) => { if (route.type === +box.value) shown[index] = box.checked; });
    refresh();
  }));
  const setAll = (value) => { shown.fill(value); refresh(); };
  byId("all")?.addEventListener("click", () => setAll(true));
  byId("none")?.addEventListener("click", () => setAll(false));

  // -- the map: the drawing in the page is for print; on screen a canvas stays smooth at any size ----
  const canvas = byId("canvas");
  if (canvas) {
    const pen = canvas.getContext("2d");
    const [, , width, height] = byId("map").getAttribute("viewBox").split(" ").map(Number);
    const isDense = byId("view").classList.contains("dense");
    const everyone = data.routes.map((_, index) => index);
    let zoom = 1, panX = 0, panY = 0, marked = -1;
    // Picture units to screen pixels before zooming: the whole picture fits the canvas.
    const fit = () => {
      const wide = canvas.clientWidth, high = canvas.clientHeight;
      const scale = Math.min(wide / width, high / height);
      return { scale, left: (wide - scale * width) / 2, top: (high - scale * height) / 2, wide, high };
    };
    const place = (stop, frame) => [
      frame.left + panX + frame.scale * zoom * data.points[stop][0],
      frame.top + panY + frame.scale * zoom * data.points[stop][1],
    ];
    const trace = (stops, frame) => stops.forEach((stop, index) => {
      const [x, y] = place(stop, frame);
      if (index) pen.lineTo(x, y); else pen.moveTo(x, y);
    });
    const stroke = (colour, lineWidth, alpha, dash) => {
      pen.strokeStyle = colour;
      pen.lineWidth = lineWidth;
      pen.globalAlpha = alpha;
      pen.setLineDash(dash);
      pen.stroke();
    };
    const arrow = 6, shortestArc = 30;
    // An arrowhead in the middle of every arc that is long enough.
    const traceArrows = (tour, frame) => {
      let [fromX, fromY] = place(tour[0], frame);
      for (const stop of tour.slice(1)) {
        const [toX, toY] = place(stop, frame);
        const size = Math.hypot(toX - fromX, toY - fromY);
        if (size >= shortestArc) {
          const across = (toX - fromX) / size, down = (toY - fromY) / size;
          const tipX = (fromX + toX) / 2 + across * arrow, tipY = (fromY + toY) / 2 + down * arrow;
          const backX = tipX - 1.7 * arrow * across, backY = tipY - 1.7 * arrow * down;
          pen.moveTo(tipX, tipY);
          pen.lineTo(backX - 0.62 * arrow * down, backY + 0.62 * arrow * across);
          pen.lineTo(backX + 0.62 * arrow * down, backY - 0.62 * arrow * across);
          pen.closePath();
        }
        [fromX, fromY] = [toX, toY];
      }
    };
    const drawRoute = (route, style, frame) => {
      const { stops, tour } = route;
      const theme = root.dataset.theme === "dark" ? 1 : 0;
      const colour = route.colour[theme];
      pen.beginPath();
      trace(tour.slice(0, 2), frame);
      if (tour[tour.length - 1] === tour[0]) trace(tour.slice(-2), frame);
      stroke(colour, style.arc, style.arcAlpha, []);
      pen.beginPath();
      trace(stops, frame);
      stroke(colour, style.line, style.alpha, route.dash);
      pen.fillStyle = colour;
      if (style.isNumbered) {
        pen.beginPath();
        traceArrows(tour, frame);
        pen.fill();
      }
      pen.beginPath();
      stops.forEach((stop) => {
        const [x, y] = place(stop, frame);
        pen.moveTo(x + style.dot, y);
        pen.arc(x, y, style.dot, 0, 7);
      });
      pen.fill();
      if (!style.isNumbered) return;
      pen.fillStyle = route.number[theme];
      stops.forEach((stop, position) => {
        const [x, y] = place(stop, frame);
        pen.fillText(position + 1, x, y + 0.5);
      });
    };
    const drawRoutes = (chosen, style, frame) => chosen.forEach((index) => drawRoute(data.routes[index], style, frame));
    // Numbers and arrows only where they do not cover each other: few stops are in sight.
    const fewInSight = (visible, frame) => {
      let count = 0;
      for (const index of visible) {
        for (const stop of data.routes[index].stops) {
          const [x, y] = place(stop, frame);
          if (x >= 0 && y >= 0 && x <= frame.wide && y <= frame.high) count += 1;
        }
      }
      return count * 3600 <= frame.wide * frame.high;
    };
    const draw = () => {
      const frame = fit();
      const ratio = window.devicePixelRatio || 1;
      if (canvas.width !== Math.round(frame.wide * ratio) || canvas.height !== Math.round(frame.high * ratio)) {
        canvas.width = Math.round(frame.wide * ratio);
        canvas.height = Math.round(frame.high * ratio);
      }
      const css = getComputedStyle(root);
      const ink = css.getPropertyValue("--ink").trim();
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, frame.wide, frame.high);
      pen.lineJoin = pen.lineCap = "round";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.font = "600 10px system-ui, sans-serif";
      const visible = everyone.filter((index) => shown[index]);
      const isNumbered = fewInSight(visible, frame);
      const fine = { line: 1.4, dot: 2.2, arc: 0.8, arcAlpha: 0.16, alpha: 1, isNumbered: false };
      const wide = { line: 2, dot: isNumbered ? 7.5 : 3.2, arc: 1.1, arcAlpha: 0.4, alpha: 1, isNumbered };
      const plain = isDense && zoom < 2.5 ? fine : wide;
      const focused = lit >= 0 && shown[lit];
      const pale = { ...plain, arcAlpha: 0.04, alpha: 0.15, dot: Math.min(plain.dot, 3.2), isNumbered: false };
      drawRoutes(visible.filter((index) => !focused || index !== lit), focused ? pale : plain, frame);
      if (focused) drawRoutes([lit], { line: 3.2, dot: 8, arc: 1.7, arcAlpha: 0.85, alpha: 1, isNumbered: true }, frame);
      pen.globalAlpha = 1;
      pen.fillStyle = ink;
      for (const depot of data.depots) {
        const [x, y] = place(depot, frame);
        pen.fillRect(x - 6, y - 6, 12, 12);
      }
      if (marked >= 0) {
        const [ringX, ringY] = place(marked, frame);
        pen.beginPath();
        pen.arc(ringX, ringY, 9, 0, 7);
        stroke(ink, 2, 1, []);
      }
    };
    let isWaiting = false;
    redraw = () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => { isWaiting = false; draw(); });
    };
    const move = (x, y) => {
      const { wide, high } = fit();
      panX = Math.min(0.5 * wide, Math.max(-wide * (zoom - 0.5), x));
      panY = Math.min(0.5 * high, Math.max(-high * (zoom - 0.5), y));
      redraw();
    };
    const zoomAt = (x, y, factor) => {
      const frame = fit();
      const next = Math.min(60, Math.max(0.8, zoom * factor));
      const grown = next / zoom;
      zoom = next;
      move(x - frame.left - (x - frame.left - panX) * grown, y - frame.top - (y - frame.top - panY) * grown);
    };
    const zoomMiddle = (factor) => zoomAt(canvas.clientWidth / 2, canvas.clientHeight / 2, factor);
    const reset = () => { zoom = 1; move(0, 0); };
    const local = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoomAt(...local(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)));
    }, { passive: false });
    byId("zoomin").addEventListener("click", () => zoomMiddle(1.5));
    byId("zoomout").addEventListener("click", () => zoomMiddle(1 / 1.5));
    byId("zoomfit").addEventListener("click", reset);
    canvas.addEventListener("dblclick", reset);
    canvas.addEventListener("keydown", (event) => {
      const step = 60;
      const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      if (moves[event.key]) move(panX + moves[event.key][0], panY + moves[event.key][1]);
      else if (event.key === "+" || event.key === "=") zoomMiddle(1.3);
      else if (event.key === "-") zoomMiddle(1 / 1.3);
      else if (event.key === "0") reset();
      else if (event.key === "Escape") pin(pinned);
      else return;
      event.preventDefault();
    });
    new ResizeObserver(redraw).observe(canvas);

    // What lies under the pointer: the nearest stop within reach, else the nearest stretch of road.
    const under = (event) => {
      const frame = fit();
      const [x, y] = local(event);
      let best = { distance: 14, route: -1, place: -1 };
      for (const depot of data.depots) {
        const [depotX, depotY] = place(depot, frame);
        const distance = Math.hypot(depotX - x, depotY - y);
        if (distance < Math.min(12, best.distance)) best = { distance, route: -1, place: depot };
      }
      const visible = everyone.filter((index) => shown[index]);
      visible.forEach((index) => data.routes[index].stops.forEach((stop, position) => {
        const [stopX, stopY] = place(stop, frame);
        const distance = Math.hypot(stopX - x, stopY - y);
        if (distance < best.distance) best = { distance, route: index, place: position };
      }));
      if (best.place >= 0) return best;
      best.distance = 7;
      visible.forEach((index) => {
        const { tour } = data.routes[index];
        let [ax, ay] = place(tour[0], frame);
        for (const stop of tour.slice(1)) {
          const [bx, by] = place(stop, frame);
          const squared = (bx - ax) ** 2 + (by - ay) ** 2;
          const share = squared ? Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared)) : 0;
          const distance = Math.hypot(ax + share * (bx - ax) - x, ay + share * (by - ay) - y);
          if (distance < best.distance) best = { distance, route: index, place: -1 };
          [ax, ay] = [bx, by];
        }
      });
      return best;
    };
    const stopName = (stop) => (data.names ? data.names[stop] : data.depots.includes(stop) ? data.words.depot : say("js_customer", { number: stop }));
    const mark = (stop) => { if (stop !== marked) { marked = stop; redraw(); } };
    const leave = () => { focus(-1); mark(-1); hideTip(); };
    const hover = (event) => {
      const hit = under(event);
      if (hit.route < 0 && hit.place < 0) { leave(); return; }
      focus(hit.route);
      if (hit.route < 0) {
        mark(hit.place);
        const count = data.routes.filter((route) => route.tour[0] === hit.place).length;
        showTip(event, stopName(hit.place), [data.words.depot, say("js_depot", { count })]);
        return;
      }
      const route = data.routes[hit.route];
      if (hit.place < 0) { mark(-1); showTip(event, routeTitle(hit.route), routeLines(route)); return; }
      const stop = route.stops[hit.place];
      mark(stop);
      showTip(event, stopName(stop), [
        say("js_demand", { demand: load(data.demands[stop]), place: hit.place + 1, count: route.stops.length }),
        say("js_driven", { distance: length(route.driven[hit.place]) }),
        ...(route.times.length ? [say("js_time", { time: route.times[hit.place] })] : []),
        routeTitle(hit.route),
        ...routeLines(route),
      ]);
    };

    // Dragging with one pointer pans, with two it zooms as well.
    const pointers = new Map();
    let travelled = 0, hovering = null;
    const gesture = () => {
      const all = [...pointers.values()];
      const x = all.reduce((sum, p) => sum + p[0], 0) / all.length;
      const y = all.reduce((sum, p) => sum + p[1], 0) / all.length;
      return { x, y, spread: all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0 };
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, local(event));
      travelled = 0;
      canvas.classList.add("dragging");
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) {
        if (!hovering) requestAnimationFrame(() => { const last = hovering; hovering = null; if (last) hover(last); });
        hovering = event;
        return;
      }
      const before = gesture();
      pointers.set(event.pointerId, local(event));
      const after = gesture();
      travelled += Math.hypot(after.x - before.x, after.y - before.y);
      move(panX + after.x - before.x, panY + after.y - before.y);
      if (before.spread && after.spread) zoomAt(after.x, after.y, after.spread / before.spread);
      mark(-1);
      hideTip();
    });
    const release = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      if (!pointers.size) canvas.classList.remove("dragging");
      if (event.type === "pointerup" && travelled < 4) {
        const hit = under(event);
        pin(hit.route >= 0 ? hit.route : pinned);
        if (event.pointerType !== "mouse") hover(event);
      }
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => { hovering = null; leave(); });
    root.classList.add("live");
    redraw();
  }

  // -- the curve ------------------------------------------------------------------------------
  const curve = byId("curve");
  if (curve && data.curve.length) {
    curve.addEventListener("pointermove", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(curve.getScreenCTM().inverse());
      let best = data.curve[0];
      for (const item of data.curve) if (item.x <= point.x) best = item;
      showTip(event, say("js_cost", { cost: money(best.cost) }), [say("js_found", { seconds: number(best.seconds) })]);
    });
    curve.addEventListener("pointerleave", hideTip);
  }
})();
