// The picture of one function: what is in it, and opening and closing its boxes.

/** More elements than this and the picture starts with more hidden. */
const LARGEST_START = 1500;
const MANY_VERSIONS = 50;

const picture = {
  fn: null,
  items: [],
  links: [],
  itemOf: new Map(),
  looks: new Map(),
  drawn: [],
  drawnLinks: [],
  kept: null,
};

/** How much of a function to hide at first: less for small ones, more for very large ones. */
function startLevel(fn) {
  const size = (level) => visibleGraph(fn, { level, scope: null, opened: new Set() }).items.length;
  if (fn.nodes.length <= 40 && !fn.changed) return { level: SHOW_ALL, scope: "all" };
  // Over many versions most of a busy function is in neither chosen one.
  if (versions.length > MANY_VERSIONS && size(HIDE_COMMON) > 200)
    return { level: HIDE_COMMON, scope: "step" };
  if (size(HIDE_COMMON) <= LARGEST_START) return { level: HIDE_COMMON, scope: "all" };
  if (size(HIDE_SAME_HISTORY) <= LARGEST_START) return { level: HIDE_SAME_HISTORY, scope: "all" };
  return { level: HIDE_SAME_HISTORY, scope: "step" };
}

/** Makes the picture anew: another function, or other things hidden. Keeps `anchor` where it is on the screen. */
async function buildPicture(anchor = null) {
  const { fn } = state;
  const main = byId("main");
  main.setAttribute("aria-busy", "true");
  const scope = scopeVersions();
  const graph = visibleGraph(fn, { level: state.level, scope, opened: state.opened });
  for (const item of graph.items) sizeItem(item);
  for (const link of graph.links) {
    link.label = linkLabel(link, fn, scope);
    link.labelWidth = link.label ? textWidth(link.label, "11px system-ui, sans-serif") + 10 : 0;
  }
  const keep = anchor && screenPlace(anchor);
  const layout = await layOut(graph);
  if (!layout || state.fn !== fn) return;
  const { looks, sizes } = paletteOf(fn);
  // Top to bottom is also the order in which the keyboard and screen readers go through the statements.
  graph.items.sort((a, b) => a.y - b.y || a.x - b.x);
  Object.assign(picture, graph, { fn, looks, sizes, layout, drawn: [], drawnLinks: [], kept: null });
  for (const item of picture.items) item.state = itemState(item);
  setSheetSize(layout.width, layout.height);
  byId("engine").textContent =
    `${count(graph.items.length, "element")} laid out in ${layout.milliseconds} ms (${layout.engine})`;
  restyle();
  if (keep) restorePlace(anchor, keep);
  else firstLook();
  main.setAttribute("aria-busy", "false");
  main.dataset.drawn = String(Number(main.dataset.drawn ?? 0) + 1);
}

function openBox(item) {
  state.opened.add(item.members[0]);
  announce(`${boxTitle(item)} opened`);
  return buildPicture(item.node).then(() => focusNode(item.node));
}

function closeRegion(node) {
  const region = picture.itemOf.get(node)?.region;
  if (!region) return;
  state.opened.delete(region[0]);
  buildPicture(region[0]);
}

/** Makes sure that a statement is not hidden in a box or outside the scope. */
async function reveal(node) {
  const item = picture.fn === node.function ? picture.itemOf.get(node) : null;
  if (item && !item.members) return;
  if (item) state.opened.add(item.members[0]);
  else if (picture.fn === node.function) state.scope = "all";
  await buildPicture(node);
  const again = picture.itemOf.get(node);
  if (again?.members && !state.opened.has(again.members[0])) await reveal(node);
}

function focusNode(node, { scroll = true } = {}) {
  const item = picture.itemOf.get(node);
  if (!item) return;
  if (scroll) scrollToItem(item);
  focusItem(item);
}
