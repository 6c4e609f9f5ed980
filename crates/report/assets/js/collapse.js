// Which statements of a function are drawn, and which hide in a box.
//
// A box is a region with one entry whose statements share one history and where versions neither part nor join: a chain of
// statements, but also a whole loop or `if` that nobody touched. Regions are found by the reductions of interval analysis:
// a statement with a single predecessor joins it (T2), a loop on a region itself vanishes (T1).

/** Regions smaller than this are easier to read than to open. */
const SMALLEST_BOX = 3;

/** How much hides: nothing, what is the same in all versions, or whatever appeared and went together. */
const SHOW_ALL = 0;
const HIDE_COMMON = 1;
const HIDE_SAME_HISTORY = 2;

/**
 * The picture's elements. `scope` is null for all versions or `[version, base]`; `opened` has the first nodes of boxes
 * that stand open. Returns `items` (statements and boxes) and `links` (flow between them).
 */
function visibleGraph(fn, { level, scope, opened }) {
  const signature = scope
    ? (set) => (contains(set, scope[0]) ? 1 : 0) + (contains(set, scope[1]) ? 2 : 0)
    : (set) => set;
  const shown = (set) => !scope || signature(set) > 0;
  const nodesShown = fn.nodes.filter((node) => shown(node.set));
  const edgesShown = fn.edges.filter((edge) => shown(edge.set));
  const common = scope ? 3 : fn.set;
  const region =
    level === SHOW_ALL
      ? new Map()
      : regions(nodesShown, edgesShown, signature, level === HIDE_COMMON ? common : null, scope);

  const itemOf = new Map();
  const items = [];
  for (const node of nodesShown) {
    const members = region.get(node);
    const boxed = members && members.length >= SMALLEST_BOX;
    if (boxed && !opened.has(members[0])) {
      if (members[0] === node) {
        const item = { key: `box-${node.index}`, node, members };
        items.push(item);
        for (const member of members) itemOf.set(member, item);
      }
    } else {
      const item = { key: `node-${node.index}`, node, members: null, region: boxed ? members : null };
      items.push(item);
      itemOf.set(node, item);
    }
  }
  return { items, links: linksOf(edgesShown, itemOf), itemOf };
}

/** One link per pair of items and version set; kinds of parallel edges (cases of a `switch`) share it. */
function linksOf(edgesShown, itemOf) {
  const links = new Map();
  for (const edge of edgesShown) {
    const [from, to] = [itemOf.get(edge.from), itemOf.get(edge.to)];
    // Loops inside a box are part of what it hides.
    if (!from || !to || (from === to && from.members)) continue;
    const key = `${from.key} ${to.key} ${edge.set}`;
    if (!links.has(key)) links.set(key, { key, from, to, set: edge.set, edges: [] });
    links.get(key).edges.push(edge);
  }
  return [...links.values()];
}

/** Maps every statement of a region to the region's statements, first one first, in the function's order otherwise. */
function regions(nodesShown, edgesShown, signature, only, scope) {
  const quiet = new Map();
  for (const node of nodesShown) {
    const mine = signature(node.set);
    const meaning = scope ? meaningChanged(node, ...scope) : node.meaning.length > 0;
    const parts = !scope && (node.branch || node.merge);
    if (!meaning && !parts && isStatement(node) && (only === null || mine === only)) quiet.set(node, mine);
  }
  for (const edge of edgesShown) {
    for (const end of [edge.from, edge.to]) if (quiet.get(end) !== signature(edge.set)) quiet.delete(end);
  }

  const groups = new Map(
    nodesShown.map((node) => [node, { members: [node], before: new Set(), after: new Set() }]),
  );
  for (const edge of edgesShown) {
    if (edge.from === edge.to) continue;
    groups.get(edge.from).after.add(groups.get(edge.to));
    groups.get(edge.to).before.add(groups.get(edge.from));
  }
  const candidates = [...quiet.keys()].map((node) => groups.get(node));
  const result = new Map();
  for (const { members } of reduce(candidates, (group) => quiet.get(group.members[0]))) {
    const [first] = members;
    members.sort((a, b) => (a === first ? -1 : b === first ? 1 : a.index - b.index));
    for (const member of members) result.set(member, members);
  }
  return result;
}

/** Merges groups into their only predecessor until nothing changes; returns those that are left. */
function reduce(work, signatureOf) {
  const candidates = new Set(work);
  while (work.length > 0) {
    const group = work.pop();
    if (!candidates.has(group) || group.before.size !== 1) continue;
    const [into] = group.before;
    if (!candidates.has(into) || signatureOf(into) !== signatureOf(group)) continue;
    candidates.delete(group);
    into.members.push(...group.members);
    into.after.delete(group);
    for (const next of group.after) {
      next.before.delete(group);
      if (next !== into) {
        next.before.add(into);
        into.after.add(next);
      }
      work.push(next);
    }
  }
  return candidates;
}
