// Cost and bound over time, as steps; drawn again whenever a point comes.

import { fill, h, s } from "../core/dom.js";
import { money, number, seconds } from "../core/model.js";
import { hideTip, showTip } from "./messages.js";
import { t } from "../texts.js";

const HEIGHT = 210;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 26;

const niceTicks = (low, high, most, factors = [1, 2, 2.5, 5, 10]) => {
  const raw = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = factors.map((factor) => factor * power).find((value) => (high - low) / value <= most) || raw;
  const ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) ticks.push(Math.abs(tick) < 1e-9 * step ? 0 : tick);
  return ticks;
};

/** Return an element with a method `update(curve, seconds, bound)`. */
export const costCurve = () => {
  const svg = s("svg", { class: "curve", role: "img", "aria-label": t("curve_label") });
  const boundKey = h("span", { hidden: true }, h("span", { class: "key bound" }), t("curve_bound"));
  const element = h("figure", { class: "figure" }, svg,
    h("figcaption", { class: "legend" },
      h("span", { class: "key cost" }), t("curve_cost"), boundKey));
  let width = 560;
  let left = 66;
  let scale = null;
  let points = [];

  const update = (curve, now, bound) => {
    points = curve;
    // As wide as its place, so that the letters keep their size on a phone.
    width = Math.max(240, svg.clientWidth || width);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    if (!curve.length) {
      svg.setAttribute("aria-label", t("curve_label"));
      fill(svg, s("text", { x: width / 2, y: HEIGHT / 2, "text-anchor": "middle" }, t("curve_empty")));
      return;
    }
    const end = Math.max(now, curve[curve.length - 1][0], 0.5); // times are shown in tenths of a second
    const costs = curve.map((point) => point[1]);
    const best = Math.min(...costs);
    // The first plan may be far off; the axis shows the part where the search works.
    const worst = Math.max(...costs.filter((cost) => cost <= best * 1.6));
    const bounds = curve.map((point) => point[2]).filter((value) => value !== null && value > 0.5 * best);
    const low = Math.min(best, ...bounds, bound && bound > 0.5 * best ? bound : best);
    const room = Math.max(worst - low, 0.01 * Math.abs(best), 1e-9);
    const [bottom, top] = [low - 0.06 * room, worst + 0.06 * room];
    const ticks = niceTicks(bottom, top, 5);
    const digits = ticks.every((tick) => Number.isInteger(tick)) ? number : money;
    left = 18 + 7 * Math.max(...ticks.map((tick) => digits(tick).length));
    const x = (time) => left + ((width - left - RIGHT) * time) / end;
    const y = (cost) => TOP + ((HEIGHT - TOP - BOTTOM) * (top - Math.min(top, Math.max(bottom, cost)))) / (top - bottom);
    const steps = (values) => values.map(([time, value], index) => (index ? `H${x(time).toFixed(1)}V${y(value).toFixed(1)}` : `M${x(time).toFixed(1)} ${y(value).toFixed(1)}`)).join("");
    const costLine = steps(curve.map(([time, cost]) => [time, cost]));
    const boundPoints = curve.filter((point) => point[2] !== null && point[2] > 0.5 * best).map((point) => [point[0], point[2]]);
    if (bound && bound > 0.5 * best) boundPoints.push([end, bound]);
    boundKey.hidden = !boundPoints.length;
    scale = { x, end };
    fill(svg,
      ticks.map((tick) => [
        s("line", { class: "axis", x1: left, x2: width - RIGHT, y1: y(tick), y2: y(tick) }),
        s("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, digits(tick)),
      ]),
      niceTicks(0, end, width < 400 ? 4 : 6, [1, 2, 5, 10]).map((tick) => s("text", { x: x(tick), y: HEIGHT - 8, "text-anchor": "middle" }, seconds(tick))),
      s("path", { class: "bound", d: boundPoints.length ? `${steps(boundPoints)}` : "" }),
      s("path", { class: "cost", d: `${costLine}H${x(end).toFixed(1)}` }),
      s("circle", { class: "cost-end", cx: x(end), cy: y(curve[curve.length - 1][1]), r: 4 }));
    svg.setAttribute("aria-label", t("curve_now", { cost: money(best), first: money(curve[0][1]), time: seconds(end) }));
  };

  svg.addEventListener("pointermove", (event) => {
    if (!scale || !points.length) return;
    const box = svg.getBoundingClientRect();
    const time = (((event.clientX - box.left) / box.width) * width - left) / ((width - left - RIGHT) / scale.end);
    const found = points.filter((point) => point[0] <= time).pop() || points[0];
    showTip(event.clientX, event.clientY, money(found[1]), [
      t("curve_found", { time: seconds(found[0]) }),
      found[2] !== null && t("curve_at_least", { bound: money(found[2]) }),
    ]);
  });
  svg.addEventListener("pointerleave", hideTip);
  update([], 0, null);
  return { element, update };
};
