// What stays in this browser: drafts, hand-made changes, scenarios and settings. Everything else is kept by the service.

const PREFIX = "fripn:";

/** Return a stored value, or the fallback where there is none or it cannot be read. */
export const load = (key, fallback = null) => {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
};

const forgetOldest = (prefix, keep) => {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + prefix) && key !== PREFIX + keep);
  const age = (key) => { try { return JSON.parse(localStorage.getItem(key)).saved || 0; } catch { return 0; } };
  const oldest = keys.sort((a, b) => age(a) - age(b))[0];
  if (oldest) localStorage.removeItem(oldest);
  return Boolean(oldest);
};

/** Store a value; where the browser has no room left, the oldest of the same group goes first. */
export const save = (key, value) => {
  const text = JSON.stringify(value);
  const group = `${key.split("/")[0]}/`;
  for (;;) {
    try {
      localStorage.setItem(PREFIX + key, text);
      return true;
    } catch {
      if (!forgetOldest(group, key)) return false;
    }
  }
};

export const forget = (key) => localStorage.removeItem(PREFIX + key);

export const settings = {
  get currency() { return load("setting/currency", ""); },
  set currency(value) { save("setting/currency", value); },
  get theme() { return load("setting/theme", "auto"); },
  set theme(value) { save("setting/theme", value); },
  get hasTiles() { return load("setting/tiles", true); },
  set hasTiles(value) { save("setting/tiles", value); },
  get seconds() { return load("setting/seconds", 30); },
  set seconds(value) { save("setting/seconds", value); },
};
