// A map on two canvases: one with all routes, one above it with what is under the pointer. Pointing at
// something draws the upper one only, so that thousands of stops stay fluid.

import { button, h } from "../core/dom.js";
import { Emitter } from "../core/emitter.js";
import { settings } from "../core/storage.js";
import { t } from "../texts.js";
import { drawTiles } from "./tiles.js";

const PADDING = 28;
const MAX_GROWTH = 4000;
const STOP_REACH = 12;
const ARC_REACH = 8;
const DROP_REACH = 60;
const DENSE = 600;
const MOST_NUMBERED = 250;
const STEP = 60;
const FINGER = 110;
/** Above this many milliseconds per picture a gesture shifts the old picture and draws when it pauses. */
const SLOW = 12;

const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Squared distance of a point from a stretch between two points. */
const fromStretch = (x, y, ax, ay, bx, by) => {
  const dx = bx - ax;
  const dy = by - ay;
  const squared = dx * dx + dy * dy;
  const share = squared ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared)) : 0;
  return (ax + share * dx - x) ** 2 + (ay + share * dy - y) ** 2;
};

/** Events: "hover" {route, stop, x, y}, "select" {route, stop}, "place" {x, y, stop}, "drag" and "drop" {stop, target}. */
export class MapView extends Emitter {
  constructor({ label, tileUrl = null }) {
    super();
    this.base = h("canvas", { class: "map-base", "aria-hidden": "true" });
    this.top = h("canvas", { class: "map-top", tabindex: "0", role: "application", "aria-roledescription": t("map_role"), "aria-label": label });
    this.note = h("p", { class: "map-note soft", hidden: true });
    this.credit = h("p", { class: "map-credit", hidden: true });
    this.element = h("div", { class: "map" }, this.base, this.top, this.note, this.credit,
      h("div", { class: "map-zoom", role: "group", "aria-label": t("map_zoom") },
        button("+", () => this.zoomMiddle(1.5), { "aria-label": t("zoom_in"), class: "icon" }),
        button("−", () => this.zoomMiddle(1 / 1.5), { "aria-label": t("zoom_out"), class: "icon" }),
        button("⤢", () => this.fit(), { "aria-label": t("zoom_fit"), class: "icon" })));
    this.tileUrl = tileUrl;
    this.places = [];
    this.depots = new Set();
    this.flagged = new Set();
    this.routes = [];
    this.tours = [];
    this.shown = { route: -1, stop: -1 };
    this.canDrag = false;
    this.isPicking = false;
    this.isFitted = true;
    this.view = { k: 1, x: 0, y: 0 };
    this.drag = null;
    this.lastCost = 0;
    // Room below the stops, larger where a line of text stands on the map.
    this.foot = PADDING;
    this.#listen();
    this.observer = new ResizeObserver(() => { if (this.isFitted) this.fit(); else this.redraw(); });
    this.observer.observe(this.element);
  }

  dispose() { this.observer.disconnect(); }

  // -- what is shown ---------------------------------------------------------------------------

  /** Show stops; a place is [x, y] or null. */
  setStops({ places, depots, flagged = new Set(), isGeographic = false }) {
    this.places = places;
    this.depots = depots;
    this.flagged = flagged;
    this.isGeographic = isGeographic;
    this.routes = [];
    this.tours = [];
    const known = places.some(Boolean);
    this.note.hidden = known;
    this.note.textContent = t("map_empty");
    if (this.isFitted) this.fit(); else this.redraw();
  }

  /** Show routes: {customers, depot, returns, colour, dash}. */
  setRoutes(routes) {
    this.routes = routes;
    this.tours = routes.map((route) => {
      const stops = [route.depot, ...route.customers, ...(route.returns ? [route.depot] : [])];
      const flat = new Float64Array(2 * stops.length);
      stops.forEach((stop, index) => { const place = this.places[stop]; flat[2 * index] = place[0]; flat[2 * index + 1] = place[1]; });
      return { stops, flat, returns: route.returns };
    });
    this.served = new Set(routes.flatMap((route) => route.customers));
    this.redraw();
  }

  /** Light up a route and a stop; −1 for none. */
  show(route, stop) {
    if (this.shown.route === route && this.shown.stop === stop) return;
    this.shown = { route, stop };
    this.#overlay();
  }

  // -- the view --------------------------------------------------------------------------------

  #size() { return [this.element.clientWidth, this.element.clientHeight]; }

  fit() {
    this.isFitted = true;
    const [wide, high] = this.#size();
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const place of this.places) {
      if (!place) continue;
      left = Math.min(left, place[0]); right = Math.max(right, place[0]);
      top = Math.min(top, place[1]); bottom = Math.max(bottom, place[1]);
    }
    if (left > right) { this.redraw(); return; }
    const room = [Math.max(20, wide - 2 * PADDING), Math.max(20, high - PADDING - this.foot)];
    const k = Math.min(right > left ? room[0] / (right - left) : Infinity, bottom > top ? room[1] / (bottom - top) : Infinity);
    this.fitted = Number.isFinite(k) ? k : this.isGeographic ? 1e6 : 1;
    this.view = { k: this.fitted, x: wide / 2 - (this.fitted * (left + right)) / 2, y: (high + PADDING - this.foot) / 2 - (this.fitted * (top + bottom)) / 2 };
    this.redraw();
  }

  pan(dx, dy) {
    this.isFitted = false;
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
    this.redraw();
  }

  zoomAt(x, y, factor) {
    this.isFitted = false;
    const { k } = this.view;
    const next = Math.min(this.fitted * MAX_GROWTH, Math.max(this.fitted / 4, k * factor));
    const grown = next / k;
    this.view = { k: next, x: x - (x - this.view.x) * grown, y: y - (y - this.view.y) * grown };
    this.redraw();
  }

  zoomMiddle(factor) { const [wide, high] = this.#size(); this.zoomAt(wide / 2, high / 2, factor); }

  /** Bring a stop into sight without changing the scale more than needed. */
  reveal(stop) {
    const place = this.places[stop];
    if (!place) return;
    const [wide, high] = this.#size();
    const [x, y] = this.#at(place);
    if (x < 20 || y < 20 || x > wide - 20 || y > high - 20) this.pan(wide / 2 - x, high / 2 - y);
  }

  #at(place) { return [place[0] * this.view.k + this.view.x, place[1] * this.view.k + this.view.y]; }

  // -- drawing ---------------------------------------------------------------------------------

  redraw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.element.isConnected) return;
      if (this.lastCost > SLOW && this.isGesturing && this.drawn) this.#shift(); else this.#draw();
      this.#overlay();
    });
  }

  /** Move and scale the picture that is there, and draw a new one when the gesture pauses. */
  #shift() {
    const grown = this.view.k / this.drawn.k;
    const x = this.view.x - this.drawn.x * grown;
    const y = this.view.y - this.drawn.y * grown;
    this.base.style.transform = `translate(${x}px, ${y}px) scale(${grown})`;
    clearTimeout(this.settle);
    this.settle = setTimeout(() => { this.isGesturing = false; this.redraw(); }, 90);
  }

  #prepare(canvas) {
    const [wide, high] = this.#size();
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.lineJoin = pen.lineCap = "round";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = "600 10px system-ui, sans-serif";
    return pen;
  }

  #draw() {
    const begun = performance.now();
    const pen = this.#prepare(this.base);
    this.base.style.transform = "";
    this.drawn = { ...this.view };
    const [wide, high] = this.#size();
    const ink = cssColour("--ink");
    const hasTiles = this.tileUrl && this.isGeographic && settings.hasTiles;
    this.credit.hidden = !hasTiles;
    if (hasTiles) {
      this.credit.textContent = t("map_credit", { host: new URL(this.tileUrl.replaceAll(/[{}]/g, "0")).hostname });
      drawTiles(pen, this.view, wide, high, this.tileUrl, () => this.redraw());
    }
    const isDense = this.places.length > DENSE && this.view.k < 3 * this.fitted;
    const isNumbered = this.#fewInSight(wide, high);
    const style = isDense
      ? { line: 1.3, dot: 2, arc: 0.8, arcAlpha: 0.14, alpha: 1, isNumbered: false }
      : { line: 2, dot: isNumbered ? 7.5 : 3.4, arc: 1.1, arcAlpha: 0.38, alpha: 1, isNumbered };
    this.routes.forEach((route, index) => this.#drawRoute(pen, route, this.tours[index], style));
    this.#drawLoose(pen, !isDense ? 3.4 : this.places.length > 2000 ? 1.4 : 2, ink);
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    for (const depot of this.depots) {
      if (!this.places[depot]) continue;
      const [x, y] = this.#at(this.places[depot]);
      pen.fillStyle = cssColour("--card");
      pen.fillRect(x - 8, y - 8, 16, 16);
      pen.fillStyle = ink;
      pen.fillRect(x - 6, y - 6, 12, 12);
    }
    this.lastCost = performance.now() - begun;
  }

  /** Stops that no route serves: rings, in the colour of a problem where they have one. */
  #drawLoose(pen, radius, ink) {
    const bad = cssColour("--bad");
    const [wide, high] = this.#size();
    pen.globalAlpha = 1;
    for (const [colour, wanted] of [[this.routes.length ? bad : ink, false], [bad, true]]) {
      pen.beginPath();
      this.places.forEach((place, stop) => {
        if (!place || this.depots.has(stop) || this.flagged.has(stop) !== wanted) return;
        if (this.routes.length && this.served.has(stop)) return;
        const [x, y] = this.#at(place);
        if (x < -9 || y < -9 || x > wide + 9 || y > high + 9) return;
        const size = wanted || this.routes.length ? radius + 1.6 : radius;
        pen.moveTo(x + size, y);
        pen.arc(x, y, size, 0, 7);
      });
      if (this.routes.length) { pen.strokeStyle = colour; pen.lineWidth = 2; pen.stroke(); } else { pen.fillStyle = colour; pen.fill(); }
    }
  }

  /** Whether numbers would be readable: few stops in sight, and few that cover each other. */
  #fewInSight(wide, high) {
    const sighted = [];
    for (const place of this.places) {
      if (!place) continue;
      const [x, y] = this.#at(place);
      if (x >= 0 && y >= 0 && x <= wide && y <= high) sighted.push([x, y]);
      if (sighted.length > MOST_NUMBERED) return false;
    }
    const covered = sighted.filter(([x, y], index) => sighted.some((other, place) => place < index && (other[0] - x) ** 2 + (other[1] - y) ** 2 < 170));
    return this.routes.length > 0 && covered.length <= 0.08 * sighted.length;
  }

  #drawRoute(pen, route, { flat, returns }, style) {
    const { k, x, y } = this.view;
    const [wide, high] = this.#size();
    const last = flat.length / 2 - 1;
    const end = returns ? last - 1 : last;
    pen.strokeStyle = route.colour;
    pen.setLineDash(route.dash);
    pen.globalAlpha = style.arcAlpha * style.alpha;
    pen.lineWidth = style.arc;
    pen.beginPath();
    pen.moveTo(flat[0] * k + x, flat[1] * k + y);
    pen.lineTo(flat[2] * k + x, flat[3] * k + y);
    if (returns) {
      pen.moveTo(flat[2 * last - 2] * k + x, flat[2 * last - 1] * k + y);
      pen.lineTo(flat[2 * last] * k + x, flat[2 * last + 1] * k + y);
    }
    pen.stroke();
    pen.globalAlpha = style.alpha;
    pen.lineWidth = style.line;
    pen.beginPath();
    for (let index = 1; index <= end; index += 1) {
      const px = flat[2 * index] * k + x;
      const py = flat[2 * index + 1] * k + y;
      if (index === 1) pen.moveTo(px, py); else pen.lineTo(px, py);
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = route.colour;
    pen.beginPath();
    for (let index = 1; index <= end; index += 1) {
      const px = flat[2 * index] * k + x;
      const py = flat[2 * index + 1] * k + y;
      if (px < -9 || py < -9 || px > wide + 9 || py > high + 9) continue;
      if (style.dot < 2.5) pen.rect(px - style.dot, py - style.dot, 2 * style.dot, 2 * style.dot);
      else { pen.moveTo(px + style.dot, py); pen.arc(px, py, style.dot, 0, 7); }
    }
    pen.fill();
    if (!style.isNumbered) return;
    pen.fillStyle = cssColour("--card");
    for (let index = 1; index <= end; index += 1) pen.fillText(String(index), flat[2 * index] * k + x, flat[2 * index + 1] * k + y + 0.5);
  }

  #overlay() {
    const pen = this.#prepare(this.top);
    const [wide, high] = this.#size();
    const { route, stop } = this.shown;
    const ink = cssColour("--ink");
    if (route >= 0 && this.routes[route]) {
      pen.globalAlpha = 0.72;
      pen.fillStyle = cssColour("--card");
      pen.fillRect(0, 0, wide, high);
      const isLong = this.routes[route].customers.length > 60;
      this.#drawRoute(pen, this.routes[route], this.tours[route], { line: 3, dot: isLong ? 4 : 8, arc: 1.7, arcAlpha: 0.85, alpha: 1, isNumbered: !isLong });
      pen.fillStyle = ink;
      for (const depot of this.depots) if (this.places[depot]) { const [x, y] = this.#at(this.places[depot]); pen.fillRect(x - 6, y - 6, 12, 12); }
    }
    if (stop >= 0 && this.places[stop]) this.#ring(pen, stop, 11, ink);
    if (this.drag) this.#drawDrag(pen, ink);
  }

  #ring(pen, stop, radius, colour) {
    const [x, y] = this.#at(this.places[stop]);
    pen.globalAlpha = 1;
    pen.strokeStyle = colour;
    pen.lineWidth = 2.4;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.stroke();
  }

  #drawDrag(pen, ink) {
    const { x, y, target, stop } = this.drag;
    this.#ring(pen, stop, 9, ink);
    if (target) {
      const tour = this.tours[target.route];
      pen.strokeStyle = this.routes[target.route].colour;
      pen.globalAlpha = 1;
      pen.lineWidth = 2.6;
      pen.setLineDash([6, 4]);
      pen.beginPath();
      pen.moveTo(...this.#at(this.places[tour.stops[target.from]]));
      pen.lineTo(x, y);
      if (target.to < tour.stops.length) pen.lineTo(...this.#at(this.places[tour.stops[target.to]]));
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.fillStyle = ink;
    pen.beginPath();
    pen.arc(x, y, 7, 0, 7);
    pen.fill();
  }

  // -- what lies under the pointer -----------------------------------------------------------------

  /** Return the nearest stop within reach, else the nearest stretch of a route. */
  under(x, y) {
    const { k } = this.view;
    let best = STOP_REACH ** 2;
    let stop = -1;
    this.places.forEach((place, index) => {
      if (!place) return;
      const distance = (place[0] * k + this.view.x - x) ** 2 + (place[1] * k + this.view.y - y) ** 2;
      if (distance < best) { best = distance; stop = index; }
    });
    if (stop >= 0) {
      return { stop, route: this.depots.has(stop) ? -1 : this.routes.findIndex((route) => route.customers.includes(stop)) };
    }
    const near = this.#nearestArc(x, y, ARC_REACH);
    return { stop: -1, route: near ? near.route : -1 };
  }

  #nearestArc(x, y, reach, skip = -1) {
    const { k } = this.view;
    let best = reach ** 2;
    let found = null;
    for (let route = 0; route < this.tours.length; route += 1) {
      const { flat, stops } = this.tours[route];
      if (skip >= 0 && this.routes[route].isLocked) continue;
      let from = 0;
      for (let to = 1; to < stops.length; to += 1) {
        if (stops[to] === skip) continue;
        const distance = fromStretch(
          x, y,
          flat[2 * from] * k + this.view.x, flat[2 * from + 1] * k + this.view.y,
          flat[2 * to] * k + this.view.x, flat[2 * to + 1] * k + this.view.y,
        );
        if (distance < best) { best = distance; found = { route, from, to }; }
        from = to;
      }
    }
    return found;
  }

  /** Where a dragged stop would go: the route and the position after it was taken out of its old place. */
  #target(x, y, stop) {
    const arc = this.#nearestArc(x, y, DROP_REACH, stop);
    if (!arc) return null;
    const before = this.tours[arc.route].stops.slice(1, arc.from + 1).filter((other) => other !== stop);
    return { ...arc, position: before.length };
  }

  // -- pointers and keys ---------------------------------------------------------------------------

  #local(event) {
    const box = this.top.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #gesture() {
    const all = [...this.pointers.values()];
    const x = all.reduce((sum, point) => sum + point[0], 0) / all.length;
    const y = all.reduce((sum, point) => sum + point[1], 0) / all.length;
    return { x, y, spread: all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0 };
  }

  #listen() {
    this.pointers = new Map();
    const { top } = this;
    top.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.isGesturing = true;
      this.zoomAt(...this.#local(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)));
    }, { passive: false });
    top.addEventListener("dblclick", () => this.fit());
    top.addEventListener("pointerdown", (event) => this.#down(event));
    top.addEventListener("pointermove", (event) => this.#move(event));
    top.addEventListener("pointerup", (event) => this.#up(event));
    top.addEventListener("pointercancel", (event) => this.#up(event));
    top.addEventListener("pointerleave", () => { this.hovering = null; this.emit("hover", { route: -1, stop: -1 }); });
    top.addEventListener("keydown", (event) => this.#key(event));
  }

  #down(event) {
    if (event.button) return;
    this.top.setPointerCapture(event.pointerId);
    const [x, y] = this.#local(event);
    this.pointers.set(event.pointerId, [x, y]);
    this.travelled = 0;
    this.grabbed = -1;
    if (!this.canDrag || this.isPicking || this.pointers.size > 1) return;
    const hit = this.under(x, y);
    const isLocked = hit.route >= 0 && this.routes[hit.route].isLocked;
    // On a touch screen a stop is selected first, so that panning does not take stops along.
    const mayGrab = event.pointerType === "mouse" || this.shown.stop === hit.stop;
    if (hit.stop >= 0 && !this.depots.has(hit.stop) && !isLocked && mayGrab) this.grabbed = hit.stop;
  }

  #move(event) {
    const [x, y] = this.#local(event);
    if (!this.pointers.has(event.pointerId)) {
      if (!this.hovering) {
        requestAnimationFrame(() => {
          const last = this.hovering;
          this.hovering = null;
          if (!last) return;
          const hit = this.under(last.x, last.y);
          this.top.classList.toggle("on-stop", hit.stop >= 0 && this.canDrag);
          this.emit("hover", { ...hit, x: last.clientX, y: last.clientY });
        });
      }
      this.hovering = { x, y, clientX: event.clientX, clientY: event.clientY };
      return;
    }
    const before = this.#gesture();
    this.pointers.set(event.pointerId, [x, y]);
    const after = this.#gesture();
    this.travelled += Math.hypot(after.x - before.x, after.y - before.y);
    if (this.grabbed >= 0) {
      if (this.travelled < 5) return;
      this.drag = { stop: this.grabbed, x, y, target: this.#target(x, y, this.grabbed) };
      this.top.classList.add("dragging");
      this.#overlay();
      // Above a finger, which would hide what stands below it.
      this.emit("drag", { ...this.drag, x: event.clientX, y: event.clientY - (event.pointerType === "touch" ? FINGER : 0) });
      return;
    }
    this.isGesturing = true;
    this.top.classList.add("panning");
    this.pan(after.x - before.x, after.y - before.y);
    if (before.spread && after.spread) this.zoomAt(after.x, after.y, after.spread / before.spread);
    this.emit("hover", { route: -1, stop: -1 });
  }

  #up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { drag } = this;
    this.drag = null;
    this.grabbed = -1;
    this.top.classList.remove("dragging", "panning");
    this.isGesturing = false;
    if (drag) {
      this.#overlay();
      this.emit("drop", { stop: drag.stop, target: event.type === "pointerup" ? drag.target : null });
      return;
    }
    if (event.type !== "pointerup" || this.travelled >= 5) { this.redraw(); return; }
    const [x, y] = this.#local(event);
    const hit = this.under(x, y);
    if (this.isPicking) {
      this.emit("place", { stop: hit.stop, x: (x - this.view.x) / this.view.k, y: (y - this.view.y) / this.view.k });
    } else {
      this.emit("select", hit);
    }
  }

  #key(event) {
    const moves = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoomMiddle(1.3);
    else if (event.key === "-") this.zoomMiddle(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape" && this.drag) { this.drag = null; this.grabbed = -1; this.#overlay(); this.emit("drop", { stop: -1, target: null }); }
    else if (event.key === "Escape") this.emit("select", { route: -1, stop: -1 });
    else return;
    event.preventDefault();
  }
}
