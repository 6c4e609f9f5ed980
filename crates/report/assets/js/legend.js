// What the signs and colours mean, for the function in the picture.

let legendOpen = true;

function renderLegend() {
  const { fn, looks, sizes } = picture;
  const sample = (how, badge, text) =>
    el(
      "li",
      {},
      el(
        "span",
        { class: "sample node hue-none", "data-state": how },
        "x = 1",
        badge && el("span", { class: "badge" }, badge),
      ),
      text,
    );
  const step =
    state.base < 0
      ? versionName(state.version)
      : `${versionName(state.base)} → ${versionName(state.version)}`;
  // What the chosen versions have comes first.
  const away = (set) => Number(stateOf(set, state.version, state.base) === "other");
  const sets = [...sizes]
    .filter(([, size]) => size > 0)
    .sort(([a, n], [b, m]) => away(a) - away(b) || m - n || a - b);
  const swatch = (set, text) =>
    el("li", {}, el("span", { class: `swatch ${looks.get(set)}` }, lifelineElement(set)), text);
  const details = el(
    "details",
    { open: legendOpen },
    el("summary", {}, "Legend"),
    el(
      "div",
      { class: "legend-parts" },
      el(
        "ul",
        { "aria-label": `Signs, ${step}` },
        sample("common", "", "in both"),
        state.base >= 0 && sample("added", "+", `new in ${versionName(state.version)}`),
        state.base >= 0 && sample("removed", "−", `only in ${versionName(state.base)}`),
        fn.total.meaning > 0 && sample("meaning", "≈", "same text, other meaning"),
        sample("other", "", "in other versions"),
        el("li", {}, icon("branch"), "versions part"),
        el("li", {}, icon("merge"), "versions join"),
        el("li", {}, icon("box"), "collapsed, click to open"),
      ),
      el(
        "ul",
        { "aria-label": "Colours by versions" },
        swatch(fn.set, `${rangeText(fn.set)} (as the function)`),
        sets.slice(0, 8).map(([set]) => swatch(set, rangeText(set))),
        sets.length > 8 && el("li", {}, `and ${sets.length - 8} more version sets`),
      ),
    ),
  );
  details.addEventListener("toggle", () => (legendOpen = details.open));
  put(byId("legend"), details);
}
