// The first view: how much changed, when, and where, so that a newcomer knows in a minute.

const TOP_FUNCTIONS = 12;

function showOverview() {
  const changedFunctions = functions.filter((fn) => fn.changed).length;
  const statements = nodes.filter(isStatement);
  const everywhere = statements.filter(
    (node) => contains(node.set, 0) && events(node.set).length === 0,
  ).length;
  const tile = (value, label) =>
    el(
      "li",
      {},
      el("b", {}, typeof value === "number" ? value.toLocaleString("en") : value),
      el("span", {}, label),
    );
  put(
    byId("main"),
    el(
      "div",
      { class: "overview" },
      el("h1", {}, data.title),
      el("p", { class: "lead" }, leadText(statements.length, everywhere, changedFunctions)),
      el(
        "ul",
        { class: "tiles" },
        tile(versions.length, versions.length === 1 ? "version" : "versions"),
        tile(functions.length, functions.length === 1 ? "function" : "functions"),
        tile(changedFunctions, "of them changed"),
        tile(`+${tallies.total.added.toLocaleString("en")}`, "statements added"),
        tile(`−${tallies.total.removed.toLocaleString("en")}`, "statements removed"),
        tallies.total.meaning > 0 &&
          tile(`≈${tallies.total.meaning.toLocaleString("en")}`, "kept text, changed meaning"),
      ),
      el("h2", {}, "Added and removed statements by version"),
      el("div", { id: "chart" }),
      el("div", { class: "columns" }, el("section", { id: "step-changes" }), mostChanged()),
      readingHelp(),
      data.omitted > 0 &&
        el(
          "p",
          { class: "note" },
          `${count(data.omitted, "edge or call")} referred to something that is not in the data and was left out.`,
        ),
    ),
  );
  byId("main").setAttribute("aria-busy", "false");
  renderOverview();
}

function leadText(statements, everywhere, changedFunctions) {
  if (versions.length === 0) return "There are no versions in this graph.";
  const share = statements === 0 ? 0 : Math.round((100 * everywhere) / statements);
  const span = versions.length === 1 ? versionName(0) : `${versionName(0)} to ${versionName(newest)}`;
  return `From ${span}: ${count(statements, "distinct statement")}, ${share} % of them in every version; ${changedFunctions.toLocaleString("en")} of ${count(functions.length, "function")} changed. Choose a version in the chart or a function in the lists.`;
}

/** What depends on the chosen version. */
function renderOverview() {
  renderChart();
  const { version, base } = state;
  const list = [...functionList.step];
  const title =
    base < 0
      ? `${versionName(version)} is the first version`
      : `What ${versionName(version)} changed against ${versionName(base)}`;
  const empty =
    base < 0
      ? "Nothing to compare with. Move the slider, or choose a version to compare with."
      : "No function changed.";
  put(
    byId("step-changes"),
    el("h2", {}, title),
    list.length === 0
      ? el("p", {}, empty)
      : functionTable(
          list.slice(0, 40).map(([fn, tally]) => [fn, tally, lifeNote(tally)]),
          (fn) => go({ fn, node: null }, { push: true }),
        ),
    list.length > 40 && el("p", {}, `and ${list.length - 40} more, in the list on the left.`),
  );
}

function lifeNote(tally) {
  return { added: "new", removed: "gone" }[tally.life] ?? "";
}

function mostChanged() {
  const list = functions
    .filter((fn) => fn.changes > 0)
    .sort(ORDERS.changes)
    .slice(0, TOP_FUNCTIONS);
  const open = (fn) => {
    // The way to the change itself: the chosen version if it changed the function, else the last that did.
    const steps = changedVersions(fn);
    const version = steps.includes(state.version)
      ? state.version
      : (steps[steps.length - 1] ?? state.version);
    go({ fn, node: null, version }, { push: true });
  };
  return el(
    "section",
    {},
    el("h2", {}, "Most changed over all versions"),
    list.length === 0
      ? el("p", {}, "No statement changed.")
      : functionTable(
          list.map((fn) => [fn, fn.total, ""]),
          open,
        ),
  );
}

function functionTable(list, open) {
  const most = Math.max(1, ...list.map(([, tally]) => tally.added + tally.removed));
  const width = (value) => `${(100 * value) / most}%`;
  const row = ([fn, tally, note]) => {
    const [plus, minus] = [el("span", { class: "part added" }), el("span", { class: "part removed" })];
    plus.style.width = width(tally.added);
    minus.style.width = width(tally.removed);
    const numbers = signed(tally.added, tally.removed) || (tally.meaning > 0 ? "" : "flow only");
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("button", { type: "button", class: "link-button code", click: () => open(fn) }, fn.name),
        note && el("small", { class: "note-tag" }, note),
        el("small", {}, fn.file),
      ),
      el("td", { class: "numbers" }, numbers, tally.meaning > 0 && ` ≈${tally.meaning}`),
      el("td", { class: "amount", "aria-hidden": "true" }, el("span", { class: "amount-bar" }, plus, minus)),
    );
  };
  return el("table", { class: "function-table" }, el("tbody", {}, list.map(row)));
}

function readingHelp() {
  return el(
    "section",
    { class: "reading" },
    el("h2", {}, "How to read the picture"),
    el(
      "ul",
      {},
      el(
        "li",
        {},
        el(
          "span",
          { class: "sample node hue-none", "data-state": "added" },
          "x = 1",
          el("span", { class: "badge" }, "+"),
        ),
        "bold, with a plus: new in the chosen version",
      ),
      el(
        "li",
        {},
        el(
          "span",
          { class: "sample node hue-none", "data-state": "removed" },
          "x = 1",
          el("span", { class: "badge" }, "−"),
        ),
        "dashed, with a minus: in the version before only",
      ),
      el(
        "li",
        {},
        el("span", { class: "sample node hue-none", "data-state": "common" }, "x = 1"),
        "plain: in both",
      ),
      el(
        "li",
        {},
        el("span", { class: "sample node hue-none", "data-state": "other" }, "x = 1"),
        "dotted: in other versions",
      ),
    ),
    el(
      "p",
      {},
      "Each box is a statement, with the versions it lives in; arrows are the flow of control. Statements that never changed are collapsed. Press ",
      el("kbd", {}, "?"),
      " for the keys.",
    ),
  );
}
