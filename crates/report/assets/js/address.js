// The address after # says what is shown, so that a link can be shared: #f=handle&v=v3&b=v1&n=12

function addressOf() {
  const parts = new URLSearchParams();
  if (state.fn) {
    const namesakes = functions.filter((fn) => fn.name === state.fn.name);
    parts.set("f", state.fn.name);
    if (namesakes.length > 1) parts.set("k", String(namesakes.indexOf(state.fn)));
  }
  if (versions.length > 0) parts.set("v", versions[state.version]);
  if (state.pinned) parts.set("b", versions[state.base] ?? "");
  if (state.node) parts.set("n", state.node.id);
  return `#${parts}`;
}

const replaceAddress = debounced(150, () => window.history.replaceState(null, "", addressOf()));

/** Functions get an entry of their own in the browser's history; steps and selections do not. */
function writeAddress(push) {
  if (push) window.history.pushState(null, "", addressOf());
  else replaceAddress();
}

/** What an address asks for; unknown names are ignored. */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const change = { node: null };
  const named = functions.filter((fn) => fn.name === parts.get("f"));
  change.fn = named[Number(parts.get("k") ?? 0)] ?? null;
  const version = versions.indexOf(parts.get("v"));
  if (version >= 0) change.version = version;
  const base = versions.indexOf(parts.get("b"));
  change.pinned = base >= 0;
  if (base >= 0) change.base = base;
  if (parts.has("n"))
    change.node = (change.fn ?? { nodes: [] }).nodes.find((node) => node.id === parts.get("n")) ?? null;
  return change;
}
