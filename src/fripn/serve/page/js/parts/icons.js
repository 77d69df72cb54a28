// Small drawings for buttons; decoration only, the button has a label.

import { s } from "../core/dom.js";

const icon = (...paths) => s("svg", { viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true", class: "drawn" },
  paths.map((d) => s("path", { d, fill: "none", stroke: "currentColor", "stroke-width": "1.6", "stroke-linecap": "round", "stroke-linejoin": "round" })));

const BODY = "M3.5 7.5h9v6h-9z";

/** Return a closed or an open lock. */
export const lockIcon = (isLocked) => (isLocked ? icon(BODY, "M5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5") : icon(BODY, "M5.5 7.5V4.5a2.5 2.5 0 0 1 4.8-1"));
