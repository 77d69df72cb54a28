// Files to hand out: the plan as shown, in every format the service writes.

import { api } from "../core/api.js";
import { button, h } from "../core/dom.js";
import { plain } from "../core/routes.js";
import { settings } from "../core/storage.js";
import { t, texts } from "../texts.js";
import { complain, dialog, toast } from "./messages.js";

const download = ({ blob, name }, fallback) => {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name || fallback });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
};

export const openExportDialog = (app) => {
  const { session } = app;
  const { editor } = session;
  const run = async (format, control) => {
    control.disabled = true;
    try {
      const body = { job: session.id, title: session.name, language: "en" };
      if (settings.currency) body.currency = settings.currency;
      if (editor.isChanged) body.routes = plain(editor.routes);
      download(await api.export(format.id, body), `${session.name}${format.extension?.startsWith(".") ? "" : "."}${format.extension || format.id}`);
      toast(t("exported", { title: format.title }));
    } catch (problem) {
      complain(problem);
    }
    control.disabled = false;
  };
  dialog(t("export"), () => [
    h("p", { class: "soft" }, t(editor.isChanged ? "export_changed" : "export_lead")),
    h("ul", { class: "export-list" }, (app.info.formats || []).map((format) => h("li", {},
      button([h("b", {}, format.title), h("span", { class: "soft small" }, texts[`format_${format.id}`] || format.extension)],
        (event) => run(format, event.currentTarget), { class: "example", "data-format": format.id })))),
  ], { className: "wide" });
};
