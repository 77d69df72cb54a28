// The calls of the service. An error is always a Problem with the sentence that the service wrote.

import { t } from "../texts.js";

/** What went wrong, as the service describes it (application/problem+json). */
export class Problem extends Error {
  constructor(fields) {
    super(fields.detail || fields.title || t("error_unknown"));
    this.fields = fields;
    this.status = fields.status || 0;
  }
}

const read = async (answer, isFile) => {
  const isJson = (answer.headers.get("content-type") || "").includes("json");
  if (answer.ok) return isJson && !isFile ? answer.json() : answer;
  const fields = isJson ? await answer.json().catch(() => ({})) : {};
  if (answer.status === 401 || answer.status === 403) {
    throw new Problem({ status: answer.status, detail: t("error_token") });
  }
  throw new Problem({ status: answer.status, title: `${answer.status} ${answer.statusText}`, ...fields });
};

const send = async (path, { isFile = false, ...options } = {}) => {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0, detail: t("error_unreachable") });
  }
  return read(answer, isFile);
};

const post = (path, body, { headers = {}, ...options } = {}) =>
  send(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers }, ...options });

const job = (id) => `/v1/jobs/${encodeURIComponent(id)}`;

/** Return a key for a request; crypto.randomUUID is missing where the page is reached over a network. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const api = {
  info: () => send("/v1/info"),
  example: (id) => send(`/v1/examples/${encodeURIComponent(id)}`),
  validateFiles: (files) => {
    const form = new FormData();
    for (const file of files) form.append("files", file, file.name);
    return send("/v1/validate", { method: "POST", body: form });
  },
  validate: (body, signal) => post("/v1/validate", body, { signal }),
  submit: (body) => post("/v1/jobs", body, { headers: { "idempotency-key": newKey() } }),
  fleet: (body) => post("/v1/fleet", body, { headers: { "idempotency-key": newKey() } }),
  jobs: async () => (await send("/v1/jobs")).jobs,
  job: (id) => send(job(id)),
  instance: (id) => send(`${job(id)}/instance`),
  stop: (id) => post(`${job(id)}/stop`, {}),
  forget: (id) => send(`${job(id)}?forget=true`, { method: "DELETE" }),
  goOn: (id, seconds) => post(`${job(id)}/continue`, { seconds }),
  evaluate: (body, signal) => post("/v1/evaluate", body, { signal }),
  /** Return the exported file and its name. */
  async export(format, body) {
    const answer = await post(`/v1/export/${encodeURIComponent(format)}`, body, { isFile: true });
    const name = /filename\*?=(?:UTF-8'')?"?([^";]+)"?/i.exec(answer.headers.get("content-disposition") || "");
    return { blob: await answer.blob(), name: name ? decodeURIComponent(name[1]) : null };
  },
};

/** Listen to the events of a job; the browser connects again by itself after an interruption. */
export const listen = (id, { onEvent, onLost, onBack }) => {
  let source = null;
  let retry = 0;
  let isClosed = false;
  const open = () => {
    source = new EventSource(`${job(id)}/events`);
    source.onopen = () => onBack();
    source.onerror = () => {
      if (isClosed) return;
      onLost();
      // The browser gives up on an answer other than 200, such as that of a service being restarted.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, 2000);
    };
    for (const name of ["state", "better", "bound", "row", "end"]) {
      source.addEventListener(name, (event) => onEvent(name, JSON.parse(event.data)));
    }
  };
  open();
  return () => { isClosed = true; clearTimeout(retry); source.close(); };
};
