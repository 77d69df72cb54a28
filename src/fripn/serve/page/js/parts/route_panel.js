// The routes as a list: select one to see its stops, drag stops about, lock it, change its vehicle.

import { button, fill, h } from "../core/dom.js";
import { routeColours, typeColour, typeDash } from "../core/colours.js";
import { integer, loadFactor, money, percent } from "../core/model.js";
import { bestPosition, changeType, reverse, whereIs } from "../core/routes.js";
import { t } from "../texts.js";
import { lockIcon } from "./icons.js";
import { openMoveDialog } from "./move_dialog.js";
import { key, loadBar } from "./plan_figures.js";
import { relocate } from "./plan_moves.js";

const MOST_FOUND = 8;
const TYPE = "application/x-fripn-stop";

export class RoutePanel {
  constructor(session) {
    this.session = session;
    this.editor = session.editor;
    this.model = session.model;
    this.list = h("div", { class: "route-list" });
    this.found = h("ul", { class: "found", hidden: true });
    const search = h("input", { type: "search", placeholder: t("find_stop"), "aria-label": t("find_stop"), on: { input: (event) => this.#find(event.target.value) } });
    this.element = h("section", { class: "card panel", "aria-label": t("routes") },
      h("div", { class: "panel-head" }, h("h2", {}, t("routes")), search), this.found, this.list);
    this.draggedStop = -1;
  }

  #find(text) {
    const words = text.trim().toLowerCase();
    const stops = [];
    for (let stop = 0; words && stop < this.model.stops.length && stops.length < MOST_FOUND; stop += 1) {
      if (this.model.label(stop).toLowerCase().includes(words)) stops.push(stop);
    }
    this.found.hidden = !words;
    fill(this.found, stops.length ? stops.map((stop) => h("li", {}, button(this.model.label(stop), () => {
      const where = whereIs(this.editor.routes, stop);
      this.session.focus.select(where ? where[0] : -1, stop);
    }, { class: "quiet" }))) : h("li", { class: "soft" }, t("nothing_found")));
  }

  draw() {
    const { editor, model } = this;
    const routes = editor.routes;
    const types = routes.map((route) => model.typeIndex.get(route.vehicle_type) ?? 0);
    this.colours = routeColours(types);
    const keepFocus = document.activeElement?.dataset?.focus;
    const { scrollTop } = this.list;
    const used = [...new Set(types)].sort((a, b) => a - b);
    fill(this.list, this.#unserved(), used.map((type) => {
      const mine = routes.map((_, index) => index).filter((index) => types[index] === type);
      return h("div", { class: "route-group" },
        h("h3", {}, key(typeColour(type), typeDash(type).length > 0), model.types[type].name, h("span", { class: "soft small" }, t("hired", { count: mine.length }))),
        h("ul", {}, mine.map((index) => this.#route(index))));
    }));
    this.list.scrollTop = scrollTop;
    if (keepFocus) this.list.querySelector(`[data-focus="${CSS.escape(keepFocus)}"]`)?.focus();
    this.mark();
  }

  /** Light up what is under the pointer or selected elsewhere. */
  mark() {
    const { shown } = this.session.focus;
    for (const row of this.list.querySelectorAll(".route-row")) row.classList.toggle("on", Number(row.dataset.route) === shown.route);
    for (const item of this.list.querySelectorAll(".stop-item")) item.classList.toggle("on", Number(item.dataset.stop) === shown.stop);
  }

  /** Scroll the selected route into sight. */
  reveal() {
    const { stop } = this.session.focus.selected;
    const item = (stop >= 0 && this.list.querySelector(`.stop-item[data-stop="${stop}"]`)) || this.list.querySelector(".route-row[aria-expanded=true]");
    if (!item) return;
    const [box, frame] = [item.getBoundingClientRect(), this.list.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) this.list.scrollTop += box.top - frame.top - frame.height / 3;
  }

  #unserved() {
    const unserved = this.editor.view?.unserved || [];
    const loose = this.editor.isPending ? unserved.filter((stop) => !whereIs(this.editor.routes, stop)) : unserved;
    if (!loose.length) return null;
    return h("div", { class: "route-group unserved" }, h("h3", { class: "bad-text" }, t("unserved", { count: loose.length })),
      h("ol", { class: "stop-list" }, loose.slice(0, 200).map((stop) => this.#stop(stop, -1, -1, null))));
  }

  #route(index) {
    const { editor, model, session } = this;
    const route = editor.routes[index];
    const figures = editor.figures(index);
    const isOpen = session.focus.selected.route === index;
    const isLocked = editor.isLocked(index);
    const share = figures ? loadFactor(figures) : 0;
    const problems = editor.view?.violations.filter((violation) => violation.route === index) || [];
    const row = button([
      key(this.colours[index], typeDash(model.typeIndex.get(route.vehicle_type) ?? 0).length > 0),
      h("span", { class: "name" }, t("route", { number: index + 1 }), h("span", { class: "soft small" }, t("stop_count", { count: integer(route.customers.length) }))),
      figures && loadBar(share, this.colours[index]),
      h("span", { class: "side" }, figures ? [h("span", {}, money(figures.cost)), h("span", { class: share > 1 + 1e-9 ? "bad-text small" : "soft small" }, t("load_factor_short", { share: percent(100 * share, 0) }))] : t("computing")),
      problems.length > 0 && !editor.isPending && h("span", { class: "badge bad", title: problems.map((problem) => model.brokenRule(problem)).join("\n") }, "!", h("span", { class: "unseen" }, t("problem_count", { count: problems.length }))),
    ], () => session.focus.select(isOpen ? -1 : index), { class: "route-row quiet", "aria-expanded": String(isOpen), "data-route": index, "data-focus": `route-${route.id}` });
    const lock = button(lockIcon(isLocked), () => editor.toggleLock(index), {
      class: "quiet icon lock", "aria-pressed": String(isLocked), "aria-label": t("lock_route", { number: index + 1 }), title: t(isLocked ? "unlock_hint" : "lock_hint"), "data-focus": `lock-${route.id}`,
    });
    const item = h("li", { class: isOpen ? "route open" : "route" }, h("div", { class: "route-line" }, row, lock), isOpen && this.#details(index, route, figures, isLocked));
    item.addEventListener("pointerenter", () => session.focus.hover(index));
    item.addEventListener("pointerleave", () => session.focus.hover(-1));
    this.#accept(row, isLocked, (stop) => relocate(this.session, stop, index, bestPosition(model, route, stop)));
    return item;
  }

  #details(index, route, figures, isLocked) {
    const { editor, model } = this;
    const type = h("select", { "aria-label": t("vehicle_of", { number: index + 1 }), disabled: isLocked, on: {
      change: (event) => editor.apply(changeType(editor.routes, index, event.target.value), t("did_type", { number: index + 1, type: event.target.value })),
    } }, model.types.map(({ name }) => h("option", { value: name, selected: name === route.vehicle_type }, name)));
    return h("div", { class: "route-details" },
      h("div", { class: "actions" }, type,
        button(t("reverse"), () => editor.apply(reverse(editor.routes, index), t("did_reverse", { number: index + 1 })), { disabled: isLocked })),
      figures?.departure !== null && figures?.departure !== undefined && h("p", { class: "soft small" }, t("from_to_long", { start: model.clock(figures.departure), end: model.clock(figures.return), time: model.duration(figures.duration) })),
      h("p", { class: "soft small" }, isLocked ? t("route_locked") : t("drag_hint")),
      h("ol", { class: "stop-list" }, route.customers.map((stop, position) => this.#stop(stop, index, position, figures, isLocked))));
  }

  #stop(stop, index, position, figures, isLocked = false) {
    const { editor, model, session } = this;
    const visit = figures?.schedule?.[position];
    const bad = !editor.isPending && editor.view?.violations.some((violation) => violation.stop === stop);
    const item = h("li", { class: "stop-item", "data-stop": stop, draggable: isLocked ? null : "true" },
      h("span", { class: "stop-number" }, position >= 0 ? String(position + 1) : "–"),
      button([model.label(stop), visit ? h("span", { class: "soft small" }, model.clock(visit.start)) : null, bad ? h("span", { class: "badge bad" }, "!") : null],
        () => session.focus.select(index, stop), { class: "quiet stop-name", "data-focus": `stop-${stop}` }),
      button(t("move"), () => openMoveDialog(session, stop), { class: "quiet small-button", disabled: isLocked, "aria-label": t("move_stop", { name: model.label(stop) }), "data-focus": `move-${stop}` }));
    item.addEventListener("pointerenter", () => session.focus.hover(index, stop));
    item.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!event.altKey || !step || isLocked || index < 0) return;
      event.preventDefault();
      const to = position + step;
      if (to >= 0 && to < editor.routes[index].customers.length) relocate(this.session, stop, index, to);
    });
    item.addEventListener("dragstart", (event) => {
      this.draggedStop = stop;
      event.dataTransfer.setData(TYPE, String(stop));
      event.dataTransfer.effectAllowed = "move";
    });
    item.addEventListener("dragend", () => { this.draggedStop = -1; });
    if (index >= 0) {
      this.#accept(item, isLocked, (moved) => {
        if (moved === stop) return;
        const left = editor.routes[index].customers.filter((other) => other !== moved);
        // Onto a stop further down in the same route means behind it, else in front of it.
        const isBehind = editor.routes[index].customers.includes(moved) && editor.routes[index].customers.indexOf(moved) < position;
        relocate(this.session, moved, index, left.indexOf(stop) + (isBehind ? 1 : 0));
      });
    }
    return item;
  }

  #accept(element, isLocked, onDrop) {
    if (isLocked) return;
    element.addEventListener("dragover", (event) => { if (this.draggedStop >= 0) { event.preventDefault(); element.classList.add("target"); } });
    element.addEventListener("dragleave", () => element.classList.remove("target"));
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      element.classList.remove("target");
      if (this.draggedStop >= 0) onDrop(this.draggedStop);
      this.draggedStop = -1;
    });
  }

}
