// The picture of one function: statements as buttons over a drawing of the flow.

/** More elements than this and the picture starts with more hidden. */
const LARGEST_START = 1500;
const MAX_COLUMNS = 44;
const MAX_ROWS = 3;
const ROW = 17;

const picture = { fn: null, items: [], links: [], itemOf: new Map(), looks: new Map() };

const measure = document.createElement("canvas").getContext("2d");

function textWidth(text, font) {
  measure.font = font;
  return Math.ceil(measure.measureText(text).width);
}

function sizeItem(item) {
  const column = textWidth("0000000000", "12.5px ui-monospace, monospace") / 10;
  const text = item.members ? boxTitle(item) : labelOf(item.node);
  const range = textWidth(shortRange(item.node.set), "11px system-ui, sans-serif");
  const columns = Math.min(MAX_COLUMNS, Math.max(text.length, 6));
  item.width = Math.max(Math.ceil(columns * column) + 32, range + 92, 128);
  const anchor = !item.members && !isStatement(item.node);
  const lines = Math.min(MAX_ROWS, Math.max(1, Math.ceil((text.length * column) / (item.width - 30))));
  item.height = anchor ? 28 : lines * ROW + 31;
  if (anchor) item.width = Math.max(72, Math.ceil(text.length * column) + 32);
}

function boxTitle(item) {
  return count(item.members.length, "statement");
}

/** How much of a function to hide at first: less for small ones, more for very large ones. */
function startLevel(fn) {
  const size = (level) => visibleGraph(fn, { level, scope: null, opened: new Set() }).items.length;
  if (fn.nodes.length <= 40 && !fn.changed) return { level: SHOW_ALL, scope: "all" };
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
  Object.assign(picture, graph, { fn, looks, sizes, layout });
  drawPicture();
  restyle();
  if (keep) restorePlace(anchor, keep);
  else firstLook();
  main.setAttribute("aria-busy", "false");
  main.dataset.drawn = String(Number(main.dataset.drawn ?? 0) + 1);
}

function drawPicture() {
  const { layout, items, links } = picture;
  const sheet = byId("sheet");
  const drawing = svg("svg", { class: "links", width: layout.width + 2, height: layout.height + 2, "aria-hidden": "true" });
  drawing.append(...links.map(drawLink));
  // Top to bottom is also the order in which the keyboard and screen readers go through the statements.
  items.sort((a, b) => a.y - b.y || a.x - b.x);
  sheet.replaceChildren(drawing, ...items.map(drawItem));
  setSheetSize(layout.width, layout.height);
  byId("engine").textContent = `${count(items.length, "element")} laid out in ${layout.milliseconds} ms (${layout.engine})`;
}

function drawItem(item) {
  const { node, members } = item;
  const box = members !== null;
  item.badge = el("span", { class: "badge", "aria-hidden": "true" });
  item.line = el("span", { class: "line-number" });
  const anchor = !box && !isStatement(node);
  const text = el("span", { class: "text" }, box && icon("box"), box ? boxTitle(item) : labelOf(node));
  const meta = el(
    "span",
    { class: "meta" },
    el("span", { class: "range" }, box ? previewOf(item) : shortRange(node.set)),
    el("span", { class: "signs" }, !box && node.calls.length > 0 && icon("call"), !box && node.branch === 1 && icon("branch"), !box && node.merge === 1 && icon("merge")),
    item.line,
  );
  item.element = el(
    "button",
    { type: "button", tabindex: "-1", "data-key": item.key, title: box ? "Open this box" : `${labelOf(node)}\n${rangeText(node.set)}` },
    el("span", { class: "stripe", "aria-hidden": "true" }),
    text,
    anchor ? null : meta,
    anchor ? null : lifelineElement(node.set),
    item.badge,
  );
  item.element.className = `node ${box ? "box" : anchor ? "anchor" : ""} ${picture.looks.get(node.set) ?? "hue-none"}`;
  Object.assign(item.element.style, { left: `${item.x}px`, top: `${item.y}px`, width: `${item.width}px`, height: `${item.height}px` });
  item.element.addEventListener("click", () => (box ? openBox(item) : go({ node })));
  return item.element;
}

function previewOf(item) {
  const first = labelOf(item.members[0]);
  return first.length > 22 ? `${first.slice(0, 20)}…` : `${first} …`;
}

const BADGES = { added: "+", removed: "−", meaning: "≈", common: "", other: "" };
const STATE_WORDS = { added: "added", removed: "removed", common: "unchanged", other: "in other versions only", meaning: "means something else" };

function itemState(item) {
  const how = stateOf(item.node.set, state.version, state.base);
  return how === "common" && !item.members && meaningChanged(item.node, state.version, state.base) ? "meaning" : how;
}

/** Shows the chosen version and base in the picture as it stands: nothing moves. */
function restyle() {
  for (const item of picture.items) {
    item.state = itemState(item);
    const { element, node } = item;
    element.dataset.state = item.state;
    item.badge.textContent = BADGES[item.state];
    item.line.textContent = lineText(item);
    const what = item.members ? `${boxTitle(item)}, collapsed` : labelOf(node);
    element.setAttribute("aria-label", `${what}; ${STATE_WORDS[item.state]}; ${rangeText(node.set)}${item.line.textContent ? `; ${item.line.textContent}` : ""}`);
  }
  for (const link of picture.links) {
    const how = stateOf(link.set, state.version, state.base);
    link.element.setAttribute("class", `link ${picture.looks.get(link.set) ?? "hue-none"} ${how}`);
  }
  markSelected();
  renderSummary();
  renderLegend();
}

/** The line in the chosen version, else in the base, else where the statement was last. */
function lineText(item) {
  const { set } = item.node;
  const intervals = data.sets[set];
  const version = contains(set, state.version) ? state.version : contains(set, state.base) ? state.base : intervals[intervals.length - 1];
  const lines = (item.members ?? [item.node]).map((node) => lineIn(node, version)).filter((line) => line > 0);
  if (lines.length === 0) return "";
  const [low, high] = lines.reduce(([a, b], line) => [Math.min(a, line), Math.max(b, line)], [Infinity, 0]);
  return low === high ? `line ${low}` : `lines ${low}–${high}`;
}

function markSelected() {
  const selected = state.node && picture.itemOf.get(state.node);
  for (const item of picture.items) {
    item.element.toggleAttribute("aria-current", item === selected);
    if (item === selected) item.element.setAttribute("aria-current", "true");
    item.element.tabIndex = -1;
  }
  const stop = selected ?? picture.items[0];
  if (stop) stop.element.tabIndex = 0;
  for (const link of picture.links) {
    link.element.classList.toggle("near", Boolean(selected) && (link.from === selected || link.to === selected));
  }
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
  item.element.focus({ preventScroll: true });
}
