// The colours of the report: one per vehicle type, a shade of it per route.

const LIGHT = ["#0067b1", "#c84e00", "#00845f", "#a64d8f", "#8a6d00", "#7a1f3d", "#5b4fc4", "#6b6b6b"];
const DARK = ["#5ab0f0", "#ff9355", "#3ccb9f", "#e08bc9", "#dcba3b", "#ffcdd8", "#a99dff", "#b8bdc6"];
const DASHES = [[], [7, 3], [2, 3]];
const DARKEST = 0.5;
const LIGHTEST = 0.4;
const GOLDEN = 0.6180339887498949;

const mixed = (colour, shade) => {
  const [target, share] = shade < 0 ? [0, -shade * DARKEST] : [255, shade * LIGHTEST];
  const parts = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
  return `#${parts.map((part) => Math.round(part + (target - part) * share).toString(16).padStart(2, "0")).join("")}`;
};

const shades = (count) => {
  if (count === 1) return [0];
  const order = [...Array(count).keys()].sort((a, b) => ((a * GOLDEN) % 1) - ((b * GOLDEN) % 1));
  const rank = new Map(order.map((index, place) => [index, place]));
  return order.map((_, index) => (2 * rank.get(index)) / (count - 1) - 1);
};

/** Return whether the page is shown in dark colours. */
export const isDark = () => document.documentElement.dataset.theme === "dark";

export const typeColour = (index) => (isDark() ? DARK : LIGHT)[index % LIGHT.length];
export const typeDash = (index) => DASHES[Math.floor(index / LIGHT.length) % DASHES.length];

/** Return the colour of every route, given the index of its vehicle type. */
export const routeColours = (types) => {
  const totals = new Map();
  for (const type of types) totals.set(type, (totals.get(type) || 0) + 1);
  const scales = new Map([...totals].map(([type, count]) => [type, shades(count)]));
  const seen = new Map();
  return types.map((type) => {
    const place = seen.get(type) || 0;
    seen.set(type, place + 1);
    return mixed(typeColour(type), 0.75 * scales.get(type)[place]);
  });
};
