// The plan as shown and changed by hand: every change is evaluated by the service and can be undone.

import { api } from "./api.js";
import { Emitter } from "./emitter.js";
import { History } from "./history.js";
import { plain, withIds } from "./routes.js";
import { forget, load, save } from "./storage.js";

const isSame = (a, b) =>
  a.length === b.length &&
  a.every((route, index) => route.vehicle_type === b[index].vehicle_type && String(route.customers) === String(b[index].customers));

/** Events: "change" (routes, figures or locks), "error" (a Problem), "offer" (the solver has a better plan). */
export class PlanEditor extends Emitter {
  constructor(session) {
    super();
    this.session = session;
    this.locked = new Set();
    this.history = new History(null);
    this.offer = null;
    this.isBusy = false;
    this.isHeld = false;
    const { plan } = session.status;
    if (plan) this.#start(plan);
    session.on("plan", (better) => this.#better(better));
  }

  #start(plan) {
    this.best = plan;
    this.history = new History({ routes: withIds(plan.routes), view: plan, label: "" });
    this.offer = null;
    const kept = load(`edit/${this.session.id}`);
    if (!kept) return;
    this.locked = new Set(kept.locked);
    if (isSame(kept.best, plan.routes)) {
      this.history.states[0] = { ...this.history.states[0], routes: kept.first };
      if (!isSame(kept.routes, kept.first)) this.apply(kept.routes, kept.label);
    }
  }

  #better(plan) {
    if (!plan) return;
    if (!this.history.now || (!this.isChanged && !this.isHeld)) {
      this.best = plan;
      this.locked = new Set();
      this.history = new History({ routes: withIds(plan.routes), view: plan, label: "" });
      this.emit("change");
    } else {
      this.offer = plan;
      this.emit("offer");
    }
  }

  /** While the plan is worked on, better plans of the solver wait until the planner takes them. */
  hold() { this.isHeld = true; }

  release() {
    this.isHeld = false;
    if (this.offer && !this.isChanged) { const { offer } = this; this.offer = null; this.#better(offer); }
  }

  /** Take the solver's better plan; the changes by hand can still be undone to. */
  takeOffer(label) {
    if (!this.offer) return;
    const plan = this.offer;
    this.offer = null;
    this.best = plan;
    this.locked = new Set();
    this.history.push({ routes: withIds(plan.routes), view: plan, label });
    this.#settle();
  }

  get hasPlan() { return Boolean(this.history.now); }
  get routes() { return this.history.now ? this.history.now.routes : []; }
  get isChanged() { return this.hasPlan && !isSame(this.routes, this.best.routes); }
  get isPending() { return this.hasPlan && !this.history.now.view; }

  /** The figures shown; while the service computes, those of the last evaluated state. */
  get view() {
    for (let place = this.history.place; place >= 0; place -= 1) {
      const state = this.history.states[place];
      if (state && state.view) return state.view;
    }
    return null;
  }

  /** Figures of a route as shown, null while they are computed. */
  figures(index) {
    const { now } = this.history;
    return now && now.view ? now.view.routes[index] : null;
  }

  isLocked(index) { return this.locked.has(this.routes[index].id); }

  get lockedIndices() { return this.routes.map((_, index) => index).filter((index) => this.isLocked(index)); }

  toggleLock(index) {
    const { id } = this.routes[index];
    if (!this.locked.delete(id)) this.locked.add(id);
    this.#settle();
  }

  /** Show changed routes at once, then their figures. */
  async apply(routes, label) {
    this.history.push({ routes, view: null, label });
    this.#settle();
    await this.#evaluate();
  }

  async #evaluate() {
    const state = this.history.now;
    if (state.view) return;
    this.isBusy = true;
    try {
      const view = await api.evaluate({ job: this.session.id, routes: plain(state.routes) });
      const place = this.history.states.indexOf(state);
      if (place >= 0) this.history.states[place] = { ...state, view };
    } catch (problem) {
      // A change that the service does not understand is taken back.
      if (this.history.now === state) this.history.undo();
      this.emit("error", problem);
    }
    this.isBusy = false;
    this.emit("change");
  }

  undo() { const { label } = this.history.now; this.history.undo(); this.#settle(); this.#evaluate(); return label; }
  redo() { this.history.redo(); this.#settle(); this.#evaluate(); return this.history.now.label; }

  #settle() {
    if (this.isChanged || this.locked.size) {
      save(`edit/${this.session.id}`, {
        saved: Date.now(),
        best: plain(this.best.routes),
        first: this.history.states[0].routes,
        routes: this.routes,
        label: this.history.now.label,
        locked: [...this.locked],
      });
    } else {
      forget(`edit/${this.session.id}`);
    }
    this.emit("change");
  }
}
