// Settings of this browser.

import { field, h } from "../core/dom.js";
import { settings } from "../core/storage.js";
import { dialog } from "./messages.js";
import { t } from "../texts.js";

/** Show the settings; `onChange` draws the page again. */
export const openSettings = (app, onChange) => dialog(t("settings"), () => [
  field(t("setting_currency"), h("input", {
    value: settings.currency, maxlength: "6", class: "short", placeholder: t("setting_currency_example"),
    on: { change: (event) => { settings.currency = event.target.value.trim(); onChange(); } },
  }), t("setting_currency_hint")),
  field(t("setting_theme"), h("select", { on: { change: (event) => { settings.theme = event.target.value; onChange(); } } },
    ["auto", "light", "dark"].map((theme) => h("option", { value: theme, selected: settings.theme === theme }, t(`theme_${theme}`))))),
  app.info?.tile_url
    ? h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: settings.hasTiles, on: { change: (event) => { settings.hasTiles = event.target.checked; onChange(); } },
    }), t("setting_tiles"))
    : h("p", { class: "soft small" }, t("setting_no_tiles")),
  h("p", { class: "soft small" }, t("version", { version: app.info?.version || "" })),
]);
