// Calls around a function, with the versions they are in: who calls it, whom it calls, and from where it can be reached.

/** Calls by the function at their other end. */
function callsBy(calls, other) {
  const groups = new Map();
  for (const call of calls) {
    const name = other(call)?.name ?? call.name;
    if (!groups.has(name)) groups.set(name, { fn: other(call), name, sets: new Set() });
    groups.get(name).sets.add(call.set);
  }
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether one of the calls is in a version. */
function anyIn(sets, version) {
  return version >= 0 && [...sets].some((set) => contains(set, version));
}

function callState(sets) {
  const [now, before] = [anyIn(sets, state.version), anyIn(sets, state.base)];
  if (now === before) return now ? "common" : "other";
  return now ? "added" : "removed";
}

/** The functions from which this one can be reached by calls of a version, itself left out. */
function reachedFrom(fn, version) {
  const found = new Set([fn]);
  const work = [fn];
  while (work.length > 0) {
    for (const call of work.pop().callers) {
      const caller = call.from.function;
      if (!contains(call.set, version) || found.has(caller)) continue;
      found.add(caller);
      work.push(caller);
    }
  }
  found.delete(fn);
  return [...found].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function functionLink(fn, name) {
  if (!fn) return name;
  const click = () => go({ fn, node: null }, { push: true });
  return el("button", { type: "button", class: "link-button code", click }, name);
}

function callEntry({ fn, name, sets }) {
  const how = callState(sets);
  const ranges = [...sets].map(rangeText).join("; ");
  return el(
    "li",
    { "data-state": how },
    BADGES[how] && el("span", { class: "sign" }, BADGES[how]),
    functionLink(fn, name),
    " ",
    el("small", {}, sets.size > 3 ? `${sets.size} calls` : ranges),
  );
}

function renderCalls() {
  const box = byId("calls");
  if (!box) return;
  const { fn } = state;
  const callers = callsBy(fn.callers, (call) => call.from.function);
  const callees = callsBy(
    fn.nodes.flatMap((node) => node.calls),
    (call) => call.to,
  );
  const reached = reachedFrom(fn, state.version);
  const list = (title, entries) =>
    entries.length > 0 && el("section", {}, el("h3", {}, title), el("ul", {}, entries));
  const changed = [...callers, ...callees].filter(({ sets }) => ["added", "removed"].includes(callState(sets)));
  const news = changed.length > 0 ? `, ${changed.length} of them changed in this step` : "";
  const open = box.querySelector("details")?.open ?? false;
  put(
    box,
    el(
      "details",
      { open: open ? "" : null },
      el(
        "summary",
        {},
        `Calls: ${count(callers.length, "caller")}, ${count(callees.length, "function")} called${news}`,
      ),
      list("Called by", callers.map(callEntry)),
      list("Calls", callees.map(callEntry)),
      list(
        `Can be reached from, in ${versionName(state.version)}`,
        reached.map((other) => el("li", {}, functionLink(other, other.name))),
      ),
    ),
  );
}
