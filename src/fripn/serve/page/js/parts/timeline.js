// When every vehicle drives, waits and serves. Only the rows in sight are drawn.

import { h } from "../core/dom.js";
import { Emitter } from "../core/emitter.js";
import { t } from "../texts.js";

const ROW = 28;
const TOP = 26;
const STEPS = [0.25, 0.5, 1, 2, 3, 6, 12, 24];
const MOST_TICKS = 13;
const NUMBERED = 13;

const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Events: "hover" {route, stop, x, y} and "select" {route, stop}. */
export class Timeline extends Emitter {
  constructor() {
    super();
    this.canvas = h("canvas", { class: "timeline-canvas", role: "img", "aria-label": t("timeline") });
    this.spacer = h("div", { class: "timeline-rows" }, this.canvas);
    this.element = h("div", { class: "timeline", tabindex: "0", role: "group", "aria-label": t("timeline_scroll") }, this.spacer);
    this.rows = [];
    this.shown = { route: -1, stop: -1 };
    this.element.addEventListener("scroll", () => this.redraw());
    this.canvas.addEventListener("pointermove", (event) => {
      const hit = this.#under(event);
      this.emit("hover", { ...hit, x: event.clientX, y: event.clientY });
    });
    this.canvas.addEventListener("pointerleave", () => this.emit("hover", { route: -1, stop: -1 }));
    this.canvas.addEventListener("click", (event) => this.emit("select", this.#under(event)));
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.element);
  }

  dispose() { this.observer.disconnect(); }

  /** Show routes with their schedules and colours; `broken` holds the stops that break a rule. */
  update(model, routes, colours, broken = new Set()) {
    this.model = model;
    this.broken = broken;
    this.rows = routes.map((route, index) => ({ route, index, colour: colours[index] })).filter(({ route }) => route.schedule && route.departure !== null);
    this.first = Math.min(...this.rows.map(({ route }) => route.departure));
    this.last = Math.max(...this.rows.map(({ route }) => route.return ?? route.schedule[route.schedule.length - 1].departure));
    this.spacer.style.height = `${TOP + ROW * this.rows.length + 4}px`;
    this.canvas.setAttribute("aria-label", this.rows.length
      ? t("timeline_label", { count: this.rows.length, first: model.clock(this.first), last: model.clock(this.last) })
      : t("timeline"));
    this.redraw();
  }

  show(route, stop) {
    if (this.shown.route === route && this.shown.stop === stop) return;
    this.shown = { route, stop };
    this.redraw();
  }

  /** Scroll the row of a route into sight. */
  reveal(route) {
    const place = this.rows.findIndex(({ index }) => index === route);
    if (place < 0) return;
    const y = TOP + ROW * place;
    const { scrollTop, clientHeight } = this.element;
    if (y < scrollTop + TOP || y + ROW > scrollTop + clientHeight) this.element.scrollTop = Math.max(0, y - clientHeight / 2);
  }

  redraw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; if (this.element.isConnected && this.rows.length) this.#draw(); });
  }

  #left() { return this.element.clientWidth < 500 ? 76 : 140; }

  #across(time) {
    const left = this.#left();
    return left + ((this.element.clientWidth - left - 16) * (time - this.first)) / (this.last - this.first || 1);
  }

  #ticks() {
    const { hour, hasClock } = this.model;
    const most = Math.max(3, Math.min(MOST_TICKS, Math.floor((this.element.clientWidth - this.#left()) / 58)));
    const unit = hasClock ? hour : 10 ** Math.floor(Math.log10((this.last - this.first) / most || 1));
    const steps = hasClock ? STEPS : [1, 2, 5, 10];
    const step = (steps.find((value) => (this.last - this.first) / (value * unit) <= most) || 48) * unit;
    const ticks = [];
    for (let tick = Math.ceil(this.first / step) * step; tick <= this.last + 1e-9; tick += step) ticks.push(tick);
    return ticks;
  }

  #draw() {
    const { canvas, element } = this;
    const [wide, high] = [element.clientWidth, Math.min(element.clientHeight, TOP + ROW * this.rows.length + 4)];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [ink, soft, line, card, bad] = ["--ink", "--soft", "--line", "--card", "--bad"].map(cssColour);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const scroll = element.scrollTop;
    const begin = Math.max(0, Math.floor((scroll - TOP) / ROW));
    const end = Math.min(this.rows.length, Math.ceil((scroll + high) / ROW));
    const ticks = this.#ticks();
    pen.strokeStyle = line;
    for (const tick of ticks) { const x = Math.round(this.#across(tick)) + 0.5; pen.beginPath(); pen.moveTo(x, TOP - 4); pen.lineTo(x, high); pen.stroke(); }
    for (let place = begin; place < end; place += 1) this.#drawRow(pen, place, TOP + ROW * (place + 0.5) - scroll, { ink, card, bad });
    pen.globalAlpha = 1;
    pen.fillStyle = card;
    pen.fillRect(0, 0, wide, TOP - 4);
    pen.fillStyle = soft;
    pen.textAlign = "center";
    pen.font = "12px system-ui, sans-serif";
    for (const tick of ticks) pen.fillText(this.model.clock(tick), Math.min(wide - 18, this.#across(tick)), 11);
  }

  #drawRow(pen, place, middle, { ink, card, bad }) {
    const { route, index, colour } = this.rows[place];
    const isPale = this.shown.route >= 0 && this.shown.route !== index;
    pen.globalAlpha = isPale ? 0.28 : 1;
    pen.fillStyle = ink;
    pen.textAlign = "left";
    pen.font = `${this.shown.route === index ? "600 " : ""}12px system-ui, sans-serif`;
    pen.save();
    pen.beginPath();
    pen.rect(0, middle - ROW / 2, this.#left() - 8, ROW);
    pen.clip();
    pen.fillText(`${index + 1} · ${route.vehicle_type}`, 4, middle);
    pen.restore();
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(this.#across(route.departure), middle);
    pen.lineTo(this.#across(route.return ?? route.schedule[route.schedule.length - 1].departure), middle);
    pen.stroke();
    route.schedule.forEach((visit, position) => {
      const [arrival, start, leave] = [visit.arrival, visit.start, visit.departure].map((time) => this.#across(time));
      pen.fillStyle = colour;
      if (start - arrival > 0.5) {
        pen.globalAlpha = isPale ? 0.08 : 0.28;
        pen.fillRect(arrival, middle - 5, start - arrival, 10);
        pen.globalAlpha = isPale ? 0.28 : 1;
      }
      const width = Math.max(leave - start, 3);
      pen.beginPath();
      pen.roundRect(start, middle - 9, width, 18, Math.min(3, width / 2));
      pen.fill();
      if (this.broken.has(visit.stop)) { pen.strokeStyle = bad; pen.lineWidth = 3; pen.stroke(); }
      if (this.shown.stop === visit.stop) { pen.strokeStyle = ink; pen.lineWidth = 2; pen.stroke(); }
      if (width < NUMBERED) return;
      pen.fillStyle = card;
      pen.textAlign = "center";
      pen.font = "600 10px system-ui, sans-serif";
      pen.fillText(String(position + 1), start + width / 2, middle + 0.5);
    });
  }

  #under(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = y < TOP - 4 ? null : this.rows[Math.floor((y + this.element.scrollTop - TOP) / ROW)];
    if (!row) return { route: -1, stop: -1 };
    const found = row.route.schedule.find((visit) => {
      const start = this.#across(visit.arrival);
      return x >= start - 2 && x <= Math.max(this.#across(visit.departure), start + 3) + 2;
    });
    return { route: row.index, stop: found ? found.stop : -1 };
  }
}
