// Step 2, before it starts: how long to compute, and the button.

import { api } from "../core/api.js";
import { button, fill, field, h } from "../core/dom.js";
import { integer } from "../core/model.js";
import { Session } from "../core/session.js";
import { settings } from "../core/storage.js";
import { complain } from "../parts/messages.js";
import { timeSlider } from "../parts/time_slider.js";
import { t } from "../texts.js";

/** Submit a job and open it; the instance is at hand, so nothing is asked again. */
export const submit = async (app, body, view = "solve") => {
  const status = await api.submit(body);
  app.session?.close();
  app.session = new Session(status, body.instance);
  app.go(view, status.id);
  return status;
};

const form = (app, draft) => {
  const { limits, methods } = app.info;
  const time = timeSlider({ label: t("time_label"), chosen: settings.seconds, most: limits?.seconds, onChange: (value) => { settings.seconds = value; } });
  const prove = h("input", { type: "checkbox" });
  const method = h("select", {}, h("option", { value: "" }, t("method_default")), (methods || []).map(({ id, title }) => h("option", { value: id }, title)));
  const seed = h("input", { type: "number", min: "0", step: "1", class: "short", placeholder: "0" });
  const go = button(t("solve_now"), async () => {
    if (go.disabled) return;
    go.disabled = true;
    const body = { instance: { ...draft.instance, name: draft.name || draft.instance.name }, name: draft.name || draft.instance.name, seconds: time.seconds };
    if (prove.checked) body.prove = true;
    if (method.value) body.method = method.value;
    if (seed.value !== "") body.seed = Number(seed.value);
    try {
      const status = await submit(app, body);
      app.adopt(draft, status.id);
    } catch (problem) {
      complain(problem);
      go.disabled = false;
    }
  }, { class: "primary large", id: "solve-now" });
  const { customers, vehicle_types: types } = draft.instance;
  const tooLarge = limits && (customers.length > limits.stops || types.length > limits.types);
  if (tooLarge) go.disabled = true;
  return h("section", { class: "card start-card" },
    h("h1", {}, t("start_title")),
    h("p", { class: "lead" }, h("strong", {}, draft.name), " · ", t("size", { stops: integer(customers.length), types: types.length })),
    draft.warnings.length > 0 && h("p", { class: "notice warn" }, t("start_warnings", { count: draft.warnings.length }), " ", h("a", { href: app.place.id ? `#/data/${app.place.id}` : "#/data" }, t("look"))),
    tooLarge && h("p", { class: "notice bad" }, t("too_large", { stops: integer(limits.stops), types: limits.types })),
    time.element,
    h("p", { class: "soft" }, t("time_hint")),
    h("details", { class: "more" }, h("summary", {}, t("more_options")),
      h("label", { class: "check" }, prove, h("span", {}, t("prove"), h("small", { class: "soft" }, t("prove_hint")))),
      field(t("method"), method, t("method_hint")),
      field(t("seed"), seed, t("seed_hint"))),
    h("div", { class: "actions" }, go));
};

export const startView = (app) => {
  const draft = app.draft(app.place.id);
  const element = h("div", { class: "view start" });
  const draw = () => {
    if (draft.isEmpty) {
      fill(element, h("section", { class: "card empty" }, h("h1", {}, t("start_empty")), h("p", {}, t("start_empty_lead")), h("p", {}, h("a", { class: "button primary", href: "#/data" }, t("to_data")))));
    } else if (draft.isOk) {
      fill(element, form(app, draft));
    } else if (draft.problems.length) {
      fill(element, h("section", { class: "card empty" }, h("h1", {}, t("problems_title", { count: draft.problems.length })), h("p", {}, t("start_problems_lead")),
        h("p", {}, h("a", { class: "button primary", href: app.place.id ? `#/data/${app.place.id}` : "#/data" }, t("to_data")))));
    } else {
      fill(element, h("section", { class: "card empty" }, h("p", { role: "status" }, t("checking"))));
    }
  };
  const ends = [draft.on("checked", () => { if (!draft.isChecking) draw(); }), draft.on("error", complain)];
  draw();
  if (!draft.isEmpty && !draft.isOk && !draft.problems.length) draft.validate();
  if (draft.isEmpty && app.session) draft.readInstance(app.session.model.doc).catch(complain);
  return { element, dispose() { ends.forEach((end) => end()); } };
};
