// The frame of the page: steps, the view that the address names, and what stays open between views.

import { api } from "./core/api.js";
import { button, fill, h } from "./core/dom.js";
import { Draft } from "./core/draft.js";
import { Session } from "./core/session.js";
import { settings } from "./core/storage.js";
import { complain, hideTip, messageElements } from "./parts/messages.js";
import { openSettings } from "./parts/settings.js";
import { t } from "./texts.js";
import { dataView } from "./views/data.js";
import { fleetView } from "./views/fleet.js";
import { jobsView } from "./views/jobs.js";
import { planView } from "./views/plan.js";
import { solveView } from "./views/solve.js";
import { startView } from "./views/start.js";

const STEPS = ["data", "solve", "plan", "fleet"];
const VIEWS = { data: dataView, start: startView, solve: solveView, plan: planView, fleet: fleetView, jobs: jobsView };
const NEW = "new";

const app = {
  info: null,
  session: null,
  drafts: new Map(),
  place: { view: "data", id: null },

  /** Return the draft of a job, or the one that no job was made from yet. */
  draft(id) {
    const key = id || NEW;
    if (!this.drafts.has(key)) this.drafts.set(key, new Draft(key));
    return this.drafts.get(key);
  },

  /** A job was made from a draft: the draft belongs to it from now on. */
  adopt(draft, id) {
    if (draft.key !== NEW) return;
    this.drafts.delete(NEW);
    draft.moveTo(id);
    this.drafts.set(id, draft);
  },

  /** Open a view; a new entry in the history of the browser. */
  go(view, id = this.place.id) { location.hash = id ? `#/${view}/${id}` : `#/${view}`; },
};

const main = h("main", { id: "main", tabindex: "-1" });
const steps = h("ol", { class: "steps" });
let current = null;

const applyTheme = () => {
  const isDark = settings.theme === "dark" || (settings.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
};

const parse = () => {
  const [, view, id] = location.hash.split("/");
  if (view === "solve" && !id) return { view: "start", id: null };
  return { view: VIEWS[view] ? view : "data", id: id || null };
};

const stepOf = (view) => (view === "start" ? "solve" : view);

const drawSteps = () => {
  const { view } = app.place;
  const id = app.place.id || (view === "jobs" && app.session ? app.session.id : null);
  fill(steps, STEPS.map((step, index) => h("li", {},
    h("a", { href: id ? `#/${step}/${id}` : `#/${step}`, "aria-current": step === stepOf(view) ? "step" : null },
      h("span", { class: "step-number", "aria-hidden": "true" }, String(index + 1)), h("span", {}, t(`step_${step}`))))));
};

const openSession = async (id) => {
  if (app.session?.id === id) return;
  app.session?.close();
  app.session = null;
  if (id) app.session = await Session.open(id);
};

let turn = 0;

const show = async () => {
  const mine = (turn += 1);
  hideTip();
  document.querySelector("dialog")?.close();
  app.place = parse();
  drawSteps();
  try {
    if (app.place.view !== "jobs") await openSession(app.place.id);
  } catch (problem) {
    if (mine !== turn) return;
    complain(problem);
    app.place = { view: "jobs", id: null };
    history.replaceState(null, "", "#/jobs");
    drawSteps();
  }
  if (mine !== turn) return;
  const focusWas = main.contains(document.activeElement) || document.activeElement === document.body;
  current?.dispose?.();
  current = VIEWS[app.place.view](app);
  fill(main, current.element);
  current.shown?.();
  document.title = t("page_title", { view: t(`step_${stepOf(app.place.view)}`), name: app.session ? app.session.name : t("product") });
  window.scrollTo(0, 0);
  if (focusWas && mine > 1) main.focus({ preventScroll: true });
};

const refresh = () => { applyTheme(); current?.dispose?.(); current = VIEWS[app.place.view](app); fill(main, current.element); current.shown?.(); };

const start = async () => {
  applyTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  fill(document.getElementById("app"),
    h("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); main.focus(); } } }, t("skip")),
    h("header", { class: "top" },
      h("a", { class: "brand", href: "#/data" }, h("img", { src: "/page/icon.svg", alt: "", width: "28", height: "28" }), t("product")),
      h("nav", { "aria-label": t("steps") }, steps),
      h("div", { class: "top-tools" },
        h("a", { class: "button quiet", href: "#/jobs" }, t("step_jobs")),
        button(t("settings"), () => openSettings(app, refresh), { class: "quiet" }))),
    main,
    messageElements);
  try {
    app.info = await api.info();
  } catch (problem) {
    fill(main, h("section", { class: "card empty" }, h("h1", {}, t("cannot_start")), h("p", {}, problem.message)));
    return;
  }
  window.addEventListener("hashchange", show);
  // A file that misses its place must not replace the page.
  for (const name of ["dragover", "drop"]) {
    window.addEventListener(name, (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
  }
  await show();
};

start();
