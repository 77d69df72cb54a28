// All plans that the service keeps.

import { api } from "../core/api.js";
import { button, fill, h } from "../core/dom.js";
import { integer, money, seconds } from "../core/model.js";
import { isActive } from "../core/session.js";
import { complain, confirmed } from "../parts/messages.js";
import { t } from "../texts.js";

const POLL = 2000;
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const jobsView = () => {
  const list = h("div", { class: "jobs" }, h("p", { class: "soft", role: "status" }, t("loading")));
  let timer = 0;
  let isGone = false;
  let last = "";

  const act = async (work) => { try { await work(); } catch (problem) { complain(problem); } look(); };

  const row = (job) => {
    const target = job.kind === "fleet" ? `#/fleet/${job.id}` : isActive(job.state) || !job.cost ? `#/solve/${job.id}` : `#/plan/${job.id}`;
    return h("tr", { "data-job": job.id },
      h("td", { class: "text", "data-label": t("job_name") }, h("a", { href: target }, job.name || t("unnamed"))),
      h("td", { class: "text", "data-label": t("job_state") }, h("span", { class: `pill state-${job.state}` }, job.proven ? t("state_proven") : t(`state_${job.state}`))),
      h("td", { "data-label": t("cost") }, job.cost === null || job.cost === undefined ? t("none") : money(job.cost)),
      h("td", { "data-label": t("stops") }, integer(job.stops ?? 0)),
      h("td", { "data-label": t("job_time") }, seconds(job.seconds || 0)),
      h("td", { class: "text", "data-label": t("job_created") }, job.created ? dates.format(new Date(job.created)) : t("none")),
      h("td", { class: "text" }, isActive(job.state)
        ? button(t("stop"), () => act(() => api.stop(job.id)), { class: "small-button", "aria-label": t("stop_job", { name: job.name }) })
        : button(t("delete"), async () => { if (await confirmed(t("delete_question", { name: job.name }), t("delete"))) act(() => api.forget(job.id)); }, { class: "quiet small-button", "aria-label": t("delete_job", { name: job.name }) })));
  };

  const look = async () => {
    clearTimeout(timer);
    try {
      const jobs = await api.jobs();
      if (isGone) return;
      const now = JSON.stringify(jobs);
      // The list is drawn again only when something changed, and the focus stays where it is.
      if (now !== last) {
        last = now;
        const focused = document.activeElement;
        const where = list.contains(focused) && focused.closest("tr")?.dataset.job;
        fill(list, jobs.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("step_jobs") }, h("table", { class: "cards", "aria-label": t("step_jobs") },
          h("thead", {}, h("tr", {}, ["job_name", "job_state"].map((name) => h("th", { scope: "col", class: "text" }, t(name))), ["cost", "stops", "job_time"].map((name) => h("th", { scope: "col" }, t(name))), h("th", { scope: "col", class: "text" }, t("job_created")), h("th", { scope: "col" }, h("span", { class: "unseen" }, t("actions"))))),
          h("tbody", {}, jobs.map(row))))
          : h("div", { class: "empty" }, h("p", {}, t("jobs_empty")), h("p", {}, h("a", { class: "button primary", href: "#/data" }, t("to_data")))));
        if (where) list.querySelector(`tr[data-job="${CSS.escape(where)}"] ${focused.tagName}`)?.focus();
      }
    } catch (problem) {
      if (!isGone) fill(list, h("p", { class: "notice bad", role: "alert" }, problem.message));
      last = "";
    }
    if (!isGone) timer = setTimeout(look, POLL);
  };
  look();
  return {
    element: h("div", { class: "view" }, h("div", { class: "view-head" }, h("div", {}, h("h1", {}, t("step_jobs")), h("p", { class: "lead" }, t("jobs_lead"))), h("div", { class: "actions" }, h("a", { class: "button primary", href: "#/data" }, t("new_plan")))), h("section", { class: "card" }, list)),
    dispose() { isGone = true; clearTimeout(timer); },
  };
};
