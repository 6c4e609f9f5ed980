// Flow between statements: labels and drawing.

const PLAIN_KINDS = new Set(["", "next", "fallthrough", "unconditional", "flow"]);

const OUTCOMES = new Set(["true", "false", "default", "indirect"]);

/** `True` → `true`, `Case(3)` → `case 3`; plain flow has no name. */
function kindText(kind) {
  const lower = kind.toLowerCase();
  if (PLAIN_KINDS.has(lower)) return "";
  const label = /^case\W(.*?)\)?$/i.exec(kind);
  if (label) return `case ${label[1].trim()}`;
  // Anything else is a condition as it was written, such as `#ifdef FAST`.
  return OUTCOMES.has(lower) ? lower : kind;
}

/** Kinds always; versions where versions part or join, because elsewhere the statements themselves say it. */
function linkLabel(link, fn, scope) {
  const kinds = [...new Set(link.edges.map((edge) => kindText(edge.kind)))].filter(Boolean);
  const shown = kinds.length > 3 ? [...kinds.slice(0, 2), `${kinds.length - 2} more`] : kinds;
  const parts = shown.length > 0 ? [shown.join(", ")] : [];
  const meeting = link.from.node.branch || link.to.node.merge;
  if (meeting && !scope) parts.push(link.set === fn.set ? "all" : shortRange(link.set));
  return parts.join(" · ");
}

const CORNER = 7;
const HEAD = 7;

/** A line through the points with round corners. */
function linePath(points) {
  const parts = [`M${points[0].x} ${points[0].y}`];
  for (let i = 1; i < points.length - 1; i++) {
    const [before, at, after] = [points[i - 1], points[i], points[i + 1]];
    const enter = towards(at, before, CORNER);
    const leave = towards(at, after, CORNER);
    parts.push(`L${enter.x} ${enter.y}Q${at.x} ${at.y} ${leave.x} ${leave.y}`);
  }
  const end = points[points.length - 1];
  const stop = towards(end, points[points.length - 2], HEAD - 1);
  parts.push(`L${stop.x} ${stop.y}`);
  return parts.join("");
}

/** The point `length` away from `from` in the direction of `to`, at most half-way. */
function towards(from, to, length) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const part = distance === 0 ? 0 : Math.min(length / distance, 0.5);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

function headPath(points) {
  const end = points[points.length - 1];
  const before = points[points.length - 2];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const side = (turn) =>
    `${end.x - HEAD * 1.4 * Math.cos(angle + turn)} ${end.y - HEAD * 1.4 * Math.sin(angle + turn)}`;
  return `M${end.x} ${end.y}L${side(0.45)}L${side(-0.45)}Z`;
}

function drawLink(link) {
  const kinds = link.edges.map((edge) => kindText(edge.kind) || "next").join(", ");
  const parts = [
    svg(
      "title",
      {},
      `${labelOf(link.from.node)} → ${labelOf(link.to.node)}\n${kinds}: ${rangeText(link.set)}`,
    ),
    svg("path", { class: "grip", d: linePath(link.points) }),
    svg("path", { class: "line", d: linePath(link.points) }),
    svg("path", { class: "head", d: headPath(link.points) }),
  ];
  if (link.label) {
    const { x, y } = link.labelAt;
    parts.push(
      svg("rect", {
        class: "label-back",
        x: x - link.labelWidth / 2,
        y: y - 8,
        width: link.labelWidth,
        height: 16,
        rx: 4,
      }),
      svg("text", { class: "label", x, y: y + 4 }, link.label),
    );
  }
  link.element = svg("g", { class: "link" }, parts);
  return link.element;
}
