// Changed paths: ways through a function from its entry that one version has and the other one has not.

const PATHS_LISTED = 20;
/** So many edges are tried for each path that is listed; there can be exponentially many paths, few of them changed. */
const PATH_STEPS = 2000;

/** Which paths are marked: `new`, `gone` or none, and which one of them; all of them for -1. */
const marked = { kind: "", at: -1, paths: [] };

/** The nodes that can be reached from some, over edges of a version. */
function reachable(from, version, list, end) {
  const found = new Set(from);
  const work = [...found];
  while (work.length > 0) {
    for (const edge of work.pop()[list]) {
      if (!contains(edge.set, version) || found.has(edge[end])) continue;
      found.add(edge[end]);
      work.push(edge[end]);
    }
  }
  return found;
}

/**
 * The paths of `version` that have an edge which `other` has not, as lists of edges: no path takes an edge twice. As many as
 * are listed, and whether there may be more.
 */
function changedPaths(fn, version, other) {
  const fresh = new Set(fn.edges.filter((edge) => contains(edge.set, version) && !contains(edge.set, other)));
  const ahead = reachable([...fresh].map((edge) => edge.from), version, "in", "from");
  const entry = fn.nodes.find((node) => isAnchor(node, "entry") && contains(node.set, version));
  const paths = [];
  if (!entry || fresh.size === 0) return { paths, more: false };
  const step = (node) => node.out.filter((edge) => contains(edge.set, version));
  const [taken, choices] = [[], [step(entry)]];
  let changed = 0;
  for (let steps = PATH_STEPS * PATHS_LISTED; choices.length > 0; steps--) {
    if (steps === 0) return { paths, more: true };
    const edge = choices[choices.length - 1].shift();
    if (!edge) {
      choices.pop();
      if (taken.length > 0) changed -= Number(fresh.has(taken.pop()));
      continue;
    }
    // Without a new edge behind, one must still be ahead.
    if (taken.includes(edge) || (changed === 0 && !fresh.has(edge) && !ahead.has(edge.to))) continue;
    taken.push(edge);
    changed += Number(fresh.has(edge));
    const onward = step(edge.to);
    if (onward.length === 0 && changed > 0) {
      if (paths.length === PATHS_LISTED) return { paths, more: true };
      paths.push([...taken]);
    }
    choices.push(onward);
  }
  return { paths, more: false };
}

/** Fills in what there is to mark for the chosen step. */
function renderPaths() {
  const box = byId("paths");
  if (!box) return;
  const { fn, version, base } = state;
  const none = { paths: [], more: false };
  const found = {
    new: base < 0 ? none : changedPaths(fn, version, base),
    gone: base < 0 ? none : changedPaths(fn, base, version),
  };
  if (!found[marked.kind]) Object.assign(marked, { kind: "", at: -1 });
  marked.paths = found[marked.kind]?.paths ?? [];
  if (marked.at >= marked.paths.length) marked.at = -1;
  const number = ({ paths, more }) => `${paths.length}${more ? "+" : ""}`;
  const options = [
    ["", "not marked"],
    ["new", `new ones (${number(found.new)})`],
    ["gone", `those that are gone (${number(found.gone)})`],
  ];
  const turn = (by) => markPaths(marked.kind, marked.at + by);
  const disabled = marked.paths.length === 0 ? "" : null;
  const button = (label, title, by) =>
    el("button", { type: "button", title, disabled, click: () => turn(by) }, label);
  put(
    box,
    choice("Paths", "path-kind", options, marked.kind, (kind) => markPaths(kind, -1)),
    button("‹", "Previous path", -1),
    el("output", { id: "path-place" }, pathPlace()),
    button("›", "Next path", 1),
  );
  stylePaths();
}

function pathPlace() {
  if (marked.paths.length === 0) return "";
  return marked.at < 0 ? `all ${marked.paths.length}` : `${marked.at + 1} of ${marked.paths.length}`;
}

/** Marks all paths of a kind, or one of them; behind the last one come all again. */
function markPaths(kind, at) {
  const size = (kind === marked.kind ? marked.paths.length : 0) + 1;
  Object.assign(marked, { kind, at: ((at + 1 + size) % size) - 1 });
  renderPaths();
  announce(marked.paths.length > 0 ? `Paths: ${pathPlace()}` : "No such path");
}

function stylePaths() {
  const chosen = marked.at < 0 ? marked.paths : [marked.paths[marked.at]];
  const edges = new Set(chosen.flat());
  const nodes = new Set([...edges].flatMap((edge) => [edge.from, edge.to]));
  for (const link of picture.drawnLinks)
    link.element?.classList.toggle("on-path", link.edges.some((edge) => edges.has(edge)));
  for (const item of picture.drawn)
    item.element?.classList.toggle("on-path", (item.members ?? [item.node]).some((node) => nodes.has(node)));
  byId("sheet")?.classList.toggle("with-paths", edges.size > 0);
}
