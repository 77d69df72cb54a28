// The open job: its status as the service tells it, its instance, its best plan, and what the planner points at.

import { api, listen } from "./api.js";
import { Emitter } from "./emitter.js";
import { Model } from "./model.js";
import { PlanEditor } from "./plan_editor.js";

export const isActive = (state) => state === "queued" || state === "running";

/** What is under the pointer or selected, shared by map, list, tables and timeline. */
class Focus extends Emitter {
  hovered = { route: -1, stop: -1 };
  selected = { route: -1, stop: -1 };

  hover(route, stop = -1) {
    if (this.hovered.route === route && this.hovered.stop === stop) return;
    this.hovered = { route, stop };
    this.emit("change", "hover");
  }

  select(route, stop = -1) {
    this.selected = { route, stop };
    this.emit("change", "select");
  }

  /** Route and stop to show: what is under the pointer, else what is selected. */
  get shown() { return this.hovered.route >= 0 || this.hovered.stop >= 0 ? this.hovered : this.selected; }
}

/** Events: "status" (figures, state), "plan" (a better plan), "row" (fleet), "link" (connection lost or back). */
export class Session extends Emitter {
  constructor(status, instance) {
    super();
    this.id = status.id;
    this.model = new Model(instance);
    this.name = status.name || this.model.name;
    this.focus = new Focus();
    this.isLost = false;
    this.close = () => {};
    this.#take(status);
    this.editor = new PlanEditor(this);
    if (isActive(status.state)) this.#listen();
  }

  static async open(id) {
    const [status, instance] = await Promise.all([api.job(id), api.instance(id)]);
    return new Session(status, instance);
  }

  get isActive() { return isActive(this.status.state); }

  #take(status) {
    const kept = this.status || {};
    // Events leave out the plan and the curve; the last ones stay.
    this.status = { curve: [], rows: [], notes: [], plan: null, ...kept, ...status };
    this.status.curve = status.curve || kept.curve || [];
    this.status.rows = status.rows || kept.rows || [];
    this.status.plan = status.plan || kept.plan || null;
    this.received = performance.now();
  }

  #listen() {
    this.close();
    this.close = listen(this.id, {
      onEvent: (name, data) => this.#on(name, data),
      onLost: () => this.#link(true),
      onBack: () => this.#link(false),
    });
  }

  #link(isLost) {
    if (this.isLost === isLost) return;
    this.isLost = isLost;
    this.emit("link");
  }

  #on(name, data) {
    const { status } = this;
    if (name === "better") {
      // After a new connection the service repeats what was missed; an older plan must not win.
      if (status.cost === null || status.cost === undefined || data.cost <= status.cost || !status.plan) {
        status.cost = data.cost;
        // Of several plans at once only the newest one comes with its routes.
        if (data.plan) {
          status.plan = data.plan;
          this.emit("plan", data.plan);
        }
      }
      if (data.bound !== null && data.bound !== undefined) status.bound = data.bound;
      this.#point(data);
    } else if (name === "bound") {
      status.bound = data.bound;
      this.#point({ ...data, cost: status.cost });
    } else if (name === "row") {
      status.rows = [...status.rows.filter((row) => row.id !== data.id), data];
      this.emit("row", data);
    } else {
      const before = this.status.plan;
      this.#take(data);
      if (name === "end") {
        this.close();
        if (this.status.plan !== before) this.emit("plan", this.status.plan);
      }
    }
    this.emit("status", this.status);
  }

  #point({ seconds, cost, bound }) {
    const { curve } = this.status;
    this.status.seconds = Math.max(this.status.seconds || 0, seconds);
    this.received = performance.now();
    if (cost === null || cost === undefined) return;
    const last = curve[curve.length - 1];
    if (!last || seconds >= last[0]) this.status.curve = [...curve, [seconds, cost, bound ?? null]];
  }

  /** Seconds of computing so far; counts on between two events. */
  get seconds() {
    const { status } = this;
    if (status.state !== "running") return status.seconds || 0;
    const passed = (status.seconds || 0) + (performance.now() - this.received) / 1000;
    return Math.min(passed, status.limit_seconds || passed);
  }

  async stop() { this.#take(await api.stop(this.id)); this.emit("status", this.status); }

  async goOn(seconds) {
    this.#take(await api.goOn(this.id, seconds));
    this.#listen();
    this.emit("status", this.status);
  }
}
