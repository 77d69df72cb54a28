// How long to compute: a slider over round lengths of time.

import { h, newId } from "../core/dom.js";
import { seconds } from "../core/model.js";
import { t } from "../texts.js";

const TIMES = [2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400];

/** Return an element and a function that tells the chosen seconds. */
export const timeSlider = ({ label, chosen, most, onChange = () => {} }) => {
  const times = TIMES.filter((time) => time <= (most || 3600));
  if (!times.length) times.push(most);
  let place = times.findIndex((time) => time >= chosen);
  if (place < 0) place = times.length - 1;
  const id = newId("time");
  const shown = h("output", { for: id, class: "slider-value" }, seconds(times[place]));
  const input = h("input", {
    type: "range", id, min: "0", max: String(times.length - 1), step: "1", "aria-valuetext": seconds(times[place]),
    on: {
      input: () => {
        const time = times[Number(input.value)];
        shown.textContent = seconds(time);
        input.setAttribute("aria-valuetext", seconds(time));
        onChange(time);
      },
    },
  });
  input.value = String(place);
  const element = h("div", { class: "slider" },
    h("div", { class: "slider-head" }, h("label", { for: id }, label), shown), input,
    h("div", { class: "slider-ends soft small", "aria-hidden": "true" }, h("span", {}, t("slider_quick")), h("span", {}, t("slider_thorough"))));
  return { element, get seconds() { return times[Number(input.value)]; } };
};
