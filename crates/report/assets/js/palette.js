// Colours by version set. The six colours are of Okabe and Ito's palette, which people with any kind of colour vision can tell
// apart; a pattern tells sets of the same colour apart, and the versions always stand on the node as text too.

const HUES = 6;
const PATTERNS = 3;

/** Gives every version set of a function its look; the set of the whole function stays plain. */
function paletteOf(fn) {
  const sizes = new Map();
  for (const { set } of fn.nodes) if (set !== fn.set) sizes.set(set, (sizes.get(set) ?? 0) + 1);
  for (const { set } of fn.edges) if (set !== fn.set && !sizes.has(set)) sizes.set(set, 0);
  const order = [...sizes].sort(([a, n], [b, m]) => m - n || a - b);
  const looks = new Map([[fn.set, "hue-none"]]);
  order.forEach(([set], rank) => {
    const pattern = Math.floor(rank / HUES);
    looks.set(set, pattern < PATTERNS ? `hue-${rank % HUES} pattern-${pattern}` : "hue-many");
  });
  return { looks, sizes };
}

/** A drawing of a version set over all versions, for CSS backgrounds. */
function lifeline(set) {
  const intervals = data.sets[set];
  const stops = [];
  const at = (version) => `${((100 * version) / versions.length).toFixed(2)}%`;
  for (let i = 0; i < intervals.length; i += 2) {
    const [first, end] = [at(intervals[i]), at(intervals[i + 1] + 1)];
    stops.push(`transparent ${first}`, `currentColor ${first}`, `currentColor ${end}`, `transparent ${end}`);
  }
  return stops.length === 0 ? "none" : `linear-gradient(to right, ${stops.join(", ")})`;
}

function lifelineElement(set, className) {
  const line = el("span", { class: `lifeline ${className ?? ""}`, "aria-hidden": "true" });
  line.style.backgroundImage = lifeline(set);
  return line;
}
