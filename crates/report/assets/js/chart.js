// How much each version added and removed, as a chart of buttons.

const HALF_CHART = 63;
/** More columns than this would be thinner than a line; neighbours then share one. */
const MOST_COLUMNS = 300;
/** Up to here columns have room for words. */
const NAMED_COLUMNS = 40;
/** Up to here names and whole numbers fit side by side; beyond, names stand upright and numbers are short. */
const LEVEL_COLUMNS = 12;
const SHORT_NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });

/** Runs of versions, one per column. */
function chartColumns() {
  const size = Math.ceil(versions.length / MOST_COLUMNS);
  const columns = [];
  for (let first = 0; first < versions.length; first += size) {
    const last = Math.min(newest, first + size - 1);
    const tally = emptyTally();
    let most = first;
    for (let version = first; version <= last; version++) {
      for (const key of Object.keys(tally)) tally[key] += tallies.byVersion[version][key];
      if (weight(version) > weight(most)) most = version;
    }
    columns.push({ first, last, most, tally });
  }
  return columns;
}

function weight(version) {
  const { added, removed, meaning } = tallies.byVersion[version];
  return added + removed + meaning;
}

/** Added above the line, removed below it and hatched. */
function renderChart() {
  const chart = byId("chart");
  const columns = chartColumns();
  const highest = Math.max(1, ...columns.map(({ tally }) => Math.max(tally.added, tally.removed)));
  const named = columns.length <= NAMED_COLUMNS;
  const upright = named && columns.length > LEVEL_COLUMNS;
  const number = (count) => (upright ? SHORT_NUMBER.format(count) : count.toLocaleString("en"));
  const focused = chart.contains(document.activeElement);
  put(
    chart,
    el(
      "div",
      {
        class: `columns-row${columns.length > 120 ? " dense" : ""}${upright ? " upright" : ""}`,
        role: "group",
        "aria-label": "Versions",
      },
      columns.map((column) => drawColumn(column, highest, named ? number : null)),
    ),
    !named &&
      el(
        "div",
        { class: "slider-ends" },
        el("span", {}, versionName(0)),
        el("span", {}, versionName(newest)),
      ),
  );
  if (focused) chart.querySelector("[aria-pressed=true]")?.focus();
}

/** Without a way to write numbers there is no room for words. */
function drawColumn({ first, last, most, tally }, highest, number) {
  const name = first === last ? versionName(first) : `${versionName(first)}–${versionName(last)}`;
  const meaning = tally.meaning > 0 ? `, ${tally.meaning} with another meaning` : "";
  const says =
    last === 0 ? "the first version" : `${signed(tally.added, tally.removed) || "no change"}${meaning}`;
  const now = first <= state.version && state.version <= last;
  const plus = el("span", { class: "plus" });
  plus.style.height = `${(HALF_CHART * tally.added) / highest}px`;
  const minus = el("span", { class: tally.removed > 0 ? "minus" : "" });
  minus.style.height = `${(HALF_CHART * tally.removed) / highest}px`;
  return el(
    "button",
    {
      type: "button",
      class: "column",
      "aria-pressed": now ? "true" : "false",
      "aria-label": `${name}: ${says}`,
      title: [`${name}: ${says}`, commits[most].summary].filter(Boolean).join("\n"),
      tabindex: now ? "0" : "-1",
      click: () => go({ version: most, pinned: false }),
    },
    el(
      "span",
      { class: "upper" },
      number && tally.added > 0 && el("i", {}, `+${number(tally.added)}`),
      plus,
    ),
    el(
      "span",
      { class: "lower" },
      minus,
      number && tally.removed > 0 && el("i", {}, `−${number(tally.removed)}`),
    ),
    number && el("span", { class: "column-name" }, name),
  );
}
