// The frame around a function's picture: what it is, what happened in this step, and the tools.

function showFunction() {
  const { fn } = state;
  Object.assign(marked, { kind: "", at: -1, paths: [] });
  const button = (label, title, click) => el("button", { type: "button", title, click }, label);
  const canvas = el(
    "div",
    { id: "canvas", role: "group", "aria-label": `Control flow of ${fn.name}` },
    el("div", { class: "frame" }, el("div", { id: "sheet" })),
  );
  put(
    byId("main"),
    el(
      "div",
      { class: "function-head" },
      el("h1", {}, fn.name, fn.file && el("small", {}, fn.file), el("small", {}, lifeOf(fn))),
      el("p", { id: "summary" }),
      el(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Picture" },
        el(
          "span",
          { class: "tool-group" },
          button("‹ Change", "Previous change (p)", () => walkChanges(-1)),
          button("Change ›", "Next change (n)", () => walkChanges(1)),
        ),
        scopeChoice(),
        hidingChoice(),
        el("span", { id: "paths", class: "tool-group" }),
      ),
    ),
    el(
      "div",
      { class: "canvas-box" },
      canvas,
      el(
        "div",
        { class: "zoom-tools", role: "toolbar", "aria-label": "Size" },
        button("−", "Smaller (-)", () => setZoom(zoom / 1.2)),
        el("output", { id: "zoom" }, "100 %"),
        button("+", "Larger (+)", () => setZoom(zoom * 1.2)),
        button("Fit", "Fit the picture (0)", fitZoom),
      ),
    ),
    el(
      "div",
      { class: "function-foot" },
      el("div", { id: "legend" }),
      el("div", { id: "calls" }),
      el("p", { id: "engine" }),
    ),
  );
  watchCanvas(canvas);
}

function lifeOf(fn) {
  const callers = new Set(fn.callers.map((call) => call.from.function.name));
  const called =
    callers.size === 0
      ? ""
      : ` · called by ${[...callers].slice(0, 3).join(", ")}${callers.size > 3 ? ` and ${callers.size - 3} more` : ""}`;
  return `${rangeText(fn.set)} · ${count(fn.nodes.filter(isStatement).length, "statement")}${called}`;
}

function choice(label, id, options, value, change) {
  const select = el(
    "select",
    { id, change: () => change(select.value) },
    options.map(([key, text]) => el("option", { value: key }, text)),
  );
  select.value = value;
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

function scopeChoice() {
  const options = [
    ["all", "all versions"],
    ["step", "this step only"],
  ];
  return choice("Show", "scope", options, state.scope, (scope) => {
    state.scope = scope;
    buildPicture(state.node);
  });
}

function hidingChoice() {
  const options = [
    [HIDE_COMMON, "what never changed"],
    [HIDE_SAME_HISTORY, "what changed together"],
    [SHOW_ALL, "nothing"],
  ];
  return choice("Collapse", "level", options, state.level, (level) => setLevel(Number(level)));
}

function setLevel(level) {
  state.level = level;
  state.opened.clear();
  byId("level").value = level;
  buildPicture(state.node);
}

/** One line on what the step did to this function, with a way on when it did nothing. */
function renderSummary() {
  const { fn, version, base } = state;
  const summary = byId("summary");
  const tally = { added: 0, removed: 0, meaning: 0 };
  for (const node of fn.nodes.filter(isStatement)) {
    const how = stateOf(node.set, version, base);
    if (how in tally) tally[how]++;
    else if (how === "common" && meaningChanged(node, version, base)) tally.meaning++;
  }
  const flow = fn.edges.some((edge) => ["added", "removed"].includes(stateOf(edge.set, version, base)));
  const step = base < 0 ? versionName(version) : `${versionName(base)} → ${versionName(version)}`;
  const life = stateOf(fn.set, version, base);
  const parts = [el("b", {}, step), " "];
  if (tally.added > 0)
    parts.push(el("span", { class: "count added" }, `+ ${tally.added.toLocaleString("en")} added`));
  if (tally.removed > 0)
    parts.push(el("span", { class: "count removed" }, `− ${tally.removed.toLocaleString("en")} removed`));
  if (tally.meaning > 0)
    parts.push(el("span", { class: "count meaning" }, `≈ ${tally.meaning} with another meaning`));
  const quiet = parts.length === 2;
  if (quiet) parts.push(flow ? "Same statements, other flow." : quietText(fn, version, base, life));
  else if (life === "added") parts.push("The function is new.");
  else if (life === "removed") parts.push("The function is gone.");
  if (quiet && !flow) {
    const other = changedVersions(fn).filter((changed) => changed !== version);
    const near = other
      .sort((a, b) => Math.abs(a - version) - Math.abs(b - version))
      .slice(0, 4)
      .sort((a, b) => a - b);
    if (near.length > 0)
      parts.push(
        " It changed in ",
        ...near.map((changed) =>
          el(
            "button",
            { type: "button", class: "link-button", click: () => go({ version: changed, pinned: false }) },
            versionName(changed),
          ),
        ),
      );
  }
  put(summary, parts);
}

function quietText(fn, version, base, life) {
  if (life === "other") return `${fn.name} is in neither version.`;
  return base < 0 ? "The first version." : "No change in this function.";
}
