// One statement, or a box of them, as a button: its size, its parts, and how it looks in the chosen versions.

const MAX_COLUMNS = 44;
const MAX_ROWS = 3;
const ROW = 17;

const measure = document.createElement("canvas").getContext("2d");

function textWidth(text, font) {
  measure.font = font;
  return Math.ceil(measure.measureText(text).width);
}

function sizeItem(item) {
  const { node, members } = item;
  const column = textWidth("0000000000", "12.5px ui-monospace, monospace") / 10;
  const text = members ? boxTitle(item) : labelOf(node);
  if (!members && !isStatement(node)) {
    item.width = Math.max(72, Math.ceil(text.length * column) + 32);
    item.height = 28;
    return;
  }
  const small = (words) => textWidth(words, "11px system-ui, sans-serif");
  const signs = members ? 0 : Number(node.calls.length > 0) + node.branch + node.merge;
  const meta =
    small(members ? `${previewOf(item)}lines 1000–2000` : `${shortRange(node.set)}line 10000`) +
    20 * signs +
    46;
  item.width = Math.max(Math.ceil(Math.min(MAX_COLUMNS, text.length) * column) + 32, meta);
  const lines = Math.ceil((text.length * column) / (item.width - 30));
  item.height = Math.min(MAX_ROWS, Math.max(1, lines)) * ROW + 31;
}

function boxTitle(item) {
  return count(item.members.length, "statement");
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
    el(
      "span",
      { class: "signs" },
      !box && node.calls.length > 0 && icon("call"),
      !box && node.branch === 1 && icon("branch"),
      !box && node.merge === 1 && icon("merge"),
    ),
    item.line,
  );
  item.element = el(
    "button",
    {
      type: "button",
      tabindex: "-1",
      "data-key": item.key,
      title: box ? "Open this box" : `${labelOf(node)}\n${rangeText(node.set)}`,
    },
    el("span", { class: "stripe", "aria-hidden": "true" }),
    text,
    anchor ? null : meta,
    anchor ? null : lifelineElement(node.set),
    item.badge,
  );
  item.element.className = `node ${box ? "box" : anchor ? "anchor" : ""} ${picture.looks.get(node.set) ?? "hue-none"}`;
  Object.assign(item.element.style, {
    left: `${item.x}px`,
    top: `${item.y}px`,
    width: `${item.width}px`,
    height: `${item.height}px`,
  });
  item.element.addEventListener("click", () => (box ? openBox(item) : go({ node })));
  return item.element;
}

function previewOf(item) {
  const first = labelOf(item.members[0]);
  return first.length > 22 ? `${first.slice(0, 20)}…` : `${first} …`;
}

const BADGES = { added: "+", removed: "−", meaning: "≈", common: "", other: "" };
const STATE_WORDS = {
  added: "added",
  removed: "removed",
  common: "unchanged",
  other: "in other versions only",
  meaning: "means something else",
};

function itemState(item) {
  const how = stateOf(item.node.set, state.version, state.base);
  return how === "common" && !item.members && meaningChanged(item.node, state.version, state.base)
    ? "meaning"
    : how;
}

function styleItem(item) {
  const { element, node } = item;
  element.dataset.state = item.state;
  item.badge.textContent = BADGES[item.state];
  item.line.textContent = lineText(item);
  const what = item.members ? `${boxTitle(item)}, collapsed` : labelOf(node);
  element.setAttribute(
    "aria-label",
    [what, STATE_WORDS[item.state], rangeText(node.set), item.line.textContent].filter(Boolean).join("; "),
  );
}

/** The line in the chosen version, else in the base, else where the statement was last. */
function lineText(item) {
  const { set } = item.node;
  const intervals = data.sets[set];
  const version = contains(set, state.version)
    ? state.version
    : contains(set, state.base)
      ? state.base
      : intervals[intervals.length - 1];
  const lines = (item.members ?? [item.node]).map((node) => lineIn(node, version)).filter((line) => line > 0);
  if (lines.length === 0) return "";
  const [low, high] = lines.reduce(([a, b], line) => [Math.min(a, line), Math.max(b, line)], [Infinity, 0]);
  return low === high ? `line ${low}` : `lines ${low}–${high}`;
}
