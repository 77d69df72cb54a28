// Step 4: what to hire. Other mixes compared with the best one; own prices and numbers; scenarios side by side.

import { api } from "../core/api.js";
import { typeColour } from "../core/colours.js";
import { button, fill, h, refill } from "../core/dom.js";
import { integer, Model, money, percent, seconds, signed } from "../core/model.js";
import { isActive } from "../core/session.js";
import { load, save, settings } from "../core/storage.js";
import { complain, say } from "../parts/messages.js";
import { fleetWords, key } from "../parts/plan_figures.js";
import { timeSlider } from "../parts/time_slider.js";
import { t } from "../texts.js";

const POLL = 700;
const EDITED = ["fixed_cost", "unit_cost", "available"];

const emptyFleet = () => h("section", { class: "card empty" }, h("h1", {}, t("fleet_none")), h("p", {}, t("fleet_none_lead")), h("p", {}, h("a", { class: "button primary", href: "#/data" }, t("to_data"))));

/** Return the instance with the planner's own prices and numbers. */
const changed = (doc, edits) => ({ ...doc, vehicle_types: doc.vehicle_types.map((type) => ({ ...type, ...(edits[type.name] || {}) })) });

const sameValue = (a, b) => (a ?? null) === (b ?? null);

/** Return the changes in words: "van: fixed cost 58 → 70". */
const changeWords = (doc, edits) => doc.vehicle_types.flatMap((type) => EDITED
  .filter((name) => edits[type.name] && name in edits[type.name] && !sameValue(edits[type.name][name], type[name]))
  .map((name) => t("price_change", { type: type.name, what: t(`price_${name}`), before: type[name] ?? t("no_limit"), after: edits[type.name][name] ?? t("no_limit") })));

const heading = (model, name) => (name === "unit_cost" && model.distanceUnit ? t("price_unit_cost_in", { unit: model.distanceUnit }) : t(`price_${name}`));

/** Return a table of vehicle types whose prices and numbers can be changed in place. */
const priceTable = (model, edits, onChange) => {
  const cell = (type, name) => {
    const value = edits[type.name] && name in edits[type.name] ? edits[type.name][name] : type[name];
    const input = h("input", {
      inputmode: "decimal", class: "number", value: value ?? "", placeholder: name === "available" ? t("no_limit") : "0",
      "aria-label": t("price_label", { what: t(`price_${name}`), type: type.name }),
      on: {
        input: () => {
          const text = input.value.trim().replace(",", ".");
          const parsed = text === "" ? (name === "available" ? null : 0) : Number(text);
          const isBad = !Number.isFinite(parsed ?? 0) || parsed < 0 || (name === "available" && parsed !== null && !Number.isInteger(parsed));
          input.toggleAttribute("aria-invalid", isBad);
          if (isBad) { input.setAttribute("aria-invalid", "true"); input.title = t(name === "available" ? "bad_count" : "bad_price"); return; }
          input.title = "";
          input.classList.toggle("changed", !sameValue(parsed, type[name] ?? (name === "available" ? null : 0)));
          onChange(type.name, name, parsed);
        },
      },
    });
    input.classList.toggle("changed", !sameValue(value ?? null, type[name] ?? null));
    return input;
  };
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("prices") }, h("table", { class: "prices cards", "aria-label": t("prices") },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, t("table_type")), h("th", { scope: "col" }, t("capacity")), EDITED.map((name) => h("th", { scope: "col" }, heading(model, name))))),
    h("tbody", {}, model.types.map((type, index) => h("tr", {},
      h("th", { scope: "row", class: "text" }, key(typeColour(index), index >= 8), type.name),
      h("td", { "data-label": t("capacity") }, model.loads(model.capacity(type))),
      EDITED.map((name) => h("td", { "data-label": heading(model, name) }, cell(type, name))))))));
};

/** Return bars of what each change costs above the best mix. */
const chart = (rows) => {
  const shown = rows.filter((row) => row.cost !== null && row.cost !== undefined);
  if (shown.length < 2) return null;
  const most = Math.max(...shown.map((row) => row.difference || 0), 1e-9);
  return h("ul", { class: "fleet-chart", "aria-label": t("fleet_chart", { count: shown.length }) }, shown.map((row, index) => h("li", { class: index ? null : "strong" },
    h("span", { class: "chart-label" }, rowLabel(row, index === 0)),
    h("span", { class: "chart-track", "aria-hidden": "true" }, h("i", { class: index ? "bar-more" : "bar-best", style: { width: `${Math.max(0.6, (100 * (row.difference || 0)) / most)}%` } })),
    h("span", { class: "chart-value" }, index ? signed(row.difference || 0) : money(row.cost)))));
};

const rowLabel = (row, isBest) => (isBest ? t("best_mix") : row.label || row.change);

const comparisonTable = (rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("comparison") }, h("table", { class: "cards", "aria-label": t("comparison") },
  h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, t("change")), h("th", { scope: "col" }, t("cost")), h("th", { scope: "col" }, t("difference")), h("th", { scope: "col", class: "text" }, t("fleet")))),
  h("tbody", {}, rows.map((row, index) => h("tr", { class: index ? "" : "base" },
    h("td", { class: "text", "data-label": t("change") }, rowLabel(row, index === 0)),
    h("td", { "data-label": t("cost") }, row.cost === null || row.cost === undefined ? t("none") : money(row.cost)),
    h("td", { "data-label": t("difference"), class: index && row.difference > 0.005 ? "worse" : null }, index === 0 || row.cost === null || row.cost === undefined ? t("none") : `${signed(row.difference)} (${signed(row.percent, (value) => percent(value, 1))})`),
    h("td", { class: "text wrap", "data-label": t("fleet") }, row.error || (row.fleet ? fleetWords(row.fleet) : t("none"))))))));

/** Return a card of one scenario. */
const scenarioCard = (app, base, item, onRemove) => {
  const { status, words, isBase } = item;
  const plan = status.plan;
  const model = base.model;
  const change = plan && base.plan && !isBase ? plan.cost - base.plan.cost : null;
  const counts = plan ? Object.fromEntries(model.types.map((type) => [type.name, plan.routes.filter((route) => route.vehicle_type === type.name).length])) : {};
  return h("article", { class: isBase ? "card scenario base" : "card scenario", "aria-label": item.name },
    h("h3", {}, item.name),
    isActive(status.state) || status.state === "failed" || status.state === "interrupted" ? h("p", {}, h("span", { class: `pill state-${status.state}` }, t(`state_${status.state}`))) : null,
    status.error && h("p", { class: "bad-text small" }, status.error.detail || status.error.title),
    h("p", { class: "scenario-cost" }, plan ? money(plan.cost) : t("none"),
      change !== null && h("small", { class: change > 0.005 ? "worse" : change < -0.005 ? "better" : "soft" }, signed(change))),
    h("dl", { class: "facts" },
      h("dt", {}, t("fleet")), h("dd", {}, fleetWords(counts)),
      h("dt", {}, t("distance")), h("dd", {}, plan ? model.distance(plan.distance) : t("none")),
      plan && plan.duration !== null && plan.duration !== undefined ? [h("dt", {}, t("hours_title")), h("dd", {}, model.duration(plan.duration))] : null,
      h("dt", {}, t("prices_changed")), h("dd", {}, words.length ? words.map((word) => h("div", {}, word)) : t("as_given"))),
    h("div", { class: "actions" }, plan && h("a", { class: "button small-button", href: `#/plan/${status.id}`, "data-focus": `open-${status.id}` }, t("open")),
      isActive(status.state) && button(t("stop"), () => api.stop(status.id).catch(complain), { class: "small-button", "data-focus": `stop-${status.id}` }),
      !isBase && button(t("remove"), onRemove, { class: "quiet small-button", "data-focus": `remove-${status.id}` })));
};

export const fleetView = (app) => {
  const { session } = app;
  const draft = app.draft(app.place.id);
  const doc = session ? session.model.doc : draft.instance;
  if (!doc) return { element: h("div", { class: "view fleet" }, emptyFleet()) };
  const model = new Model(doc);
  const isFleetJob = session?.status.kind === "fleet";
  const title = session ? session.name : draft.name;
  const place = `fleet/${session ? session.id : "new"}`;
  const kept = { edits: {}, job: isFleetJob ? session.id : null, scenarios: [], ...load(place, {}) };
  const store = () => save(place, { ...kept, saved: Date.now() });
  let edits = kept.edits;
  const statuses = new Map();
  const prices = h("div", {});
  const words = h("p", { class: "soft", role: "status" });
  const result = h("div", {});
  const table = h("section", { class: "card", hidden: true });
  const scenarios = h("div", { class: "scenarios" });
  const time = timeSlider({ label: t("fleet_time"), chosen: Math.min(settings.seconds, 30), most: app.info.limits?.seconds });
  const reset = button(t("reset_prices"), () => { edits = kept.edits = {}; store(); drawPrices(); });

  const drawWords = () => {
    const list = changeWords(doc, edits);
    words.textContent = list.length ? list.join("; ") : t("prices_as_given");
    reset.disabled = !list.length;
  };
  const drawPrices = () => {
    fill(prices, priceTable(model, edits, (type, name, value) => {
      edits = kept.edits = { ...edits, [type]: { ...(edits[type] || {}), [name]: value } };
      store();
      drawWords();
    }));
    drawWords();
  };

  const drawResult = () => {
    const status = statuses.get(kept.job);
    table.hidden = !status?.rows.length;
    if (!status) { fill(result, h("p", { class: "soft" }, t("fleet_hint"))); return; }
    const running = isActive(status.state);
    refill(result,
      h("p", {}, h("span", { class: `pill state-${status.state}` }, t(`state_${status.state}`)), " ",
        running ? h("span", { class: "soft" }, t("fleet_running", { count: status.rows.length })) : h("span", { class: "soft" }, t("computed_for", { time: seconds(status.seconds || 0) })), " ",
        running && button(t("stop"), () => api.stop(kept.job).catch(complain), { class: "small-button", "data-focus": "stop" })),
      status.error && h("p", { class: "notice bad", role: "alert" }, status.error.detail || status.error.title),
      kept.words?.length ? h("p", { class: "soft" }, t("with_changes", { changes: kept.words.join("; ") })) : null,
      status.rows.length > 0 && [h("p", { class: "answer" }, t("hire", { fleet: fleetWords(status.rows[0].fleet || {}) })), chart(status.rows)]);
    if (status.rows.length) fill(table, h("h2", {}, t("comparison_table")), comparisonTable(status.rows));
  };

  const base = { model, plan: session && !isFleetJob ? session.editor.best || session.status.plan : null };
  const drawScenarios = () => {
    const items = [
      ...(session && !isFleetJob ? [{ name: t("scenario_base"), status: session.status, words: [], isBase: true }] : []),
      ...kept.scenarios.filter((item) => statuses.has(item.id)).map((item) => ({ ...item, status: statuses.get(item.id) })),
    ];
    refill(scenarios, items.length ? items.map((item) => scenarioCard(app, base, item, () => {
      kept.scenarios = kept.scenarios.filter((other) => other.id !== item.id);
      store();
      drawScenarios();
    })) : h("p", { class: "soft" }, t("scenarios_empty")));
  };

  let isGone = false;
  let timer = 0;
  const look = async () => {
    clearTimeout(timer);
    const ids = [kept.job, ...kept.scenarios.map((item) => item.id)].filter((id) => id && (!statuses.has(id) || isActive(statuses.get(id).state)));
    await Promise.all(ids.map(async (id) => {
      try {
        const status = await api.job(id);
        statuses.set(id, { rows: [], ...status, rows: status.rows || [] });
      } catch (problem) {
        // A job that the service has forgotten goes from the list; anything else is tried again.
        if (problem.status !== 404) return;
        if (id === kept.job) kept.job = null;
        kept.scenarios = kept.scenarios.filter((item) => item.id !== id);
        store();
      }
    }));
    if (isGone) return;
    if (ids.length) { drawResult(); drawScenarios(); }
    if ([...statuses.values()].some((status) => isActive(status.state))) timer = setTimeout(look, POLL);
    else if (ids.length) say(t("fleet_done"));
  };

  const compare = button(t("compare"), async () => {
    compare.disabled = true;
    try {
      const status = await api.fleet({ instance: changed(doc, edits), seconds: time.seconds, name: t("fleet_job_name", { name: title }) });
      kept.job = status.id;
      kept.words = changeWords(doc, edits);
      statuses.delete(status.id);
      store();
      await look();
    } catch (problem) { complain(problem); }
    compare.disabled = false;
  }, { class: "primary", id: "compare" });
  const plan = button(t("plan_with_prices"), async () => {
    plan.disabled = true;
    try {
      const name = t("scenario_name", { number: kept.scenarios.length + 1 });
      const status = await api.submit({ instance: changed(doc, edits), seconds: time.seconds, name: t("scenario_job_name", { name: title, scenario: name }) });
      kept.scenarios = [...kept.scenarios, { id: status.id, name, words: changeWords(doc, edits) }];
      store();
      await look();
    } catch (problem) { complain(problem); }
    plan.disabled = false;
  }, { id: "plan-scenario" });

  const element = h("div", { class: "view fleet" },
    h("div", { class: "view-head" }, h("div", {}, h("h1", {}, t("fleet_question")), h("p", { class: "lead" }, title, " · ", t("size", { stops: integer(model.size), types: model.types.length })))),
    h("div", { class: "split fleet-split" },
      h("section", { class: "card" }, h("h2", {}, t("prices")), h("p", { class: "soft" }, t("prices_lead")), prices, words, time.element, h("div", { class: "actions" }, compare, plan, reset)),
      h("section", { class: "card", "aria-live": "off" }, h("h2", {}, t("comparison")), result)),
    table,
    h("section", {}, h("h2", { class: "section-title" }, t("scenarios")), scenarios));

  drawPrices();
  drawResult();
  drawScenarios();
  look();
  const ends = session ? [session.on("plan", () => { base.plan = session.status.plan; drawScenarios(); })] : [];
  return { element, dispose() { isGone = true; clearTimeout(timer); ends.forEach((end) => end()); } };
};
