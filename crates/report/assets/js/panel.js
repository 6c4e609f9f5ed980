// Everything known about one statement.

function renderPanel() {
  const panel = byId("panel");
  const { node } = state;
  panel.hidden = node === null;
  document.body.classList.toggle("with-panel", node !== null);
  if (!node) {
    put(panel);
    return;
  }
  const item = picture.itemOf.get(node);
  put(
    panel,
    el(
      "div",
      { class: "panel-head" },
      el("h2", {}, node.kind || "Statement"),
      el(
        "button",
        { type: "button", class: "close", title: "Close (Esc)", "aria-label": "Close", click: closePanel },
        "×",
      ),
    ),
    el("pre", { class: "panel-text", tabindex: "0" }, labelOf(node)),
    el(
      "p",
      { class: "panel-versions" },
      lifelineElement(node.set, "wide"),
      el("span", {}, `In ${rangeText(node.set)}`),
    ),
    section("History", historyList(node)),
    section("Source lines", lineTable(node)),
    node.calls.length > 0 && section("Calls", callList(node)),
    section("Comes from", flowList(node.in, "from")),
    section("Goes to", flowList(node.out, "to")),
    item?.region &&
      el(
        "button",
        { type: "button", click: () => closeRegion(node) },
        `Collapse these ${count(item.region.length, "statement")} again`,
      ),
  );
}

function closePanel() {
  const { node } = state;
  go({ node: null });
  if (node) focusNode(node, { scroll: false });
}

function section(title, content) {
  return content && el("section", {}, el("h3", {}, title), content);
}

function versionButton(version) {
  const current = version === state.version;
  return el(
    "button",
    {
      type: "button",
      class: "link-button",
      "aria-current": current ? "true" : null,
      click: () => go({ version }),
    },
    versionName(version),
  );
}

/** Since when it is there, who removed it, when its meaning changed. */
function historyList(node) {
  const changes = events(node.set).map(({ version, added }) => ({
    version,
    how: added ? "added" : "removed",
  }));
  for (const version of node.meaning) changes.push({ version, how: "meaning" });
  changes.sort((a, b) => a.version - b.version);
  const words = { added: "Added in ", removed: "Removed in ", meaning: "Other meaning since " };
  const entries = changes.map(({ version, how }) =>
    el(
      "li",
      { class: how },
      el("span", { class: "sign" }, BADGES[how]),
      el("span", {}, words[how], versionButton(version), commitText(version)),
    ),
  );
  if (contains(node.set, 0))
    entries.unshift(
      el(
        "li",
        {},
        el("span", { class: "sign" }, "•"),
        el("span", {}, "Since the first version, ", versionButton(0), commitText(0)),
      ),
    );
  if (contains(node.set, newest) && versions.length > 1)
    entries.push(
      el(
        "li",
        {},
        el("span", { class: "sign" }, "•"),
        el("span", {}, `Still there in ${versionName(newest)}`),
      ),
    );
  return el("ol", { class: "events" }, entries);
}

function commitText(version) {
  const { commit, author, date, summary } = commits[version];
  const line = [commit.slice(0, 9), author, date.slice(0, 10)].filter(Boolean).join(" · ");
  return [line && el("small", {}, line), summary && el("small", { class: "commit-summary" }, summary)];
}

/** Runs of versions with the same line. */
function lineTable(node) {
  const runs = [];
  const intervals = data.sets[node.set];
  for (let i = 0; i < intervals.length; i += 2) {
    for (let version = intervals[i]; version <= intervals[i + 1]; version++) {
      const line = lineIn(node, version);
      const last = runs[runs.length - 1];
      if (last && last.line === line && last.end === version - 1) last.end = version;
      else runs.push({ start: version, end: version, line });
    }
  }
  const known = runs.filter((run) => run.line > 0);
  if (known.length === 0) return null;
  const cell = ({ start, end, line }) => {
    const here = start <= state.version && state.version <= end;
    const names = start === end ? versionName(start) : `${versionName(start)}–${versionName(end)}`;
    return el(
      "tr",
      { "aria-current": here ? "true" : null },
      el("th", { scope: "row" }, names),
      el("td", {}, `${node.function.file ? `${node.function.file}:` : "line "}${line}`),
    );
  };
  return el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, known.map(cell))));
}

function callList(node) {
  const target = (call) =>
    call.to
      ? el(
          "button",
          {
            type: "button",
            class: "link-button",
            click: () => go({ fn: call.to, node: null }, { push: true }),
          },
          call.name,
        )
      : call.name;
  return el(
    "ul",
    {},
    node.calls.map((call) => el("li", {}, target(call), " ", el("small", {}, rangeText(call.set)))),
  );
}

function flowList(list, end) {
  if (list.length === 0) return null;
  const entry = (edge) =>
    el(
      "li",
      { "data-state": stateOf(edge.set, state.version, state.base) },
      el(
        "button",
        { type: "button", class: "link-button code", click: () => go({ node: edge[end] }, { walk: true }) },
        labelOf(edge[end]),
      ),
      " ",
      el("small", {}, [kindText(edge.kind), rangeText(edge.set)].filter(Boolean).join(" · ")),
    );
  return el("ul", {}, list.map(entry));
}
