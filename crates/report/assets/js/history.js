// Version sets: membership, names, and what appeared or went where.

function contains(set, version) {
  const intervals = data.sets[set];
  for (let i = 0; i < intervals.length; i += 2) {
    if (version < intervals[i]) return false;
    if (version <= intervals[i + 1]) return true;
  }
  return false;
}

/** A version's name as shown: full commit ids are cut. */
function versionName(version) {
  const name = versions[version] ?? "";
  return /^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 9) : name;
}

const rangeTexts = new Map();

/** `v1–v3, v5`; `all versions` when it is so. */
function rangeText(set) {
  if (!rangeTexts.has(set)) rangeTexts.set(set, describeIntervals(data.sets[set]));
  return rangeTexts.get(set);
}

function describeIntervals(intervals) {
  if (intervals.length === 0) return "no version";
  if (versions.length > 1 && intervals[0] === 0 && intervals[1] === versions.length - 1)
    return "all versions";
  const parts = [];
  for (let i = 0; i < intervals.length; i += 2) {
    const [first, last] = [versionName(intervals[i]), versionName(intervals[i + 1])];
    parts.push(first === last ? first : `${first}–${last}`);
  }
  return parts.join(", ");
}

/** A range that fits on a node. */
function shortRange(set) {
  const text = rangeText(set);
  return text.length <= 26 ? text : `${text.slice(0, 24)}…`;
}

/** The version a change is read against: the first parent in the history, else the version before. */
function baseOf(version) {
  return commits[version]?.parents[0] ?? version - 1;
}

const eventLists = new Map();

/**
 * Where a set begins and ends: `{version, added}`. A merge adds only what none of its parents has, and removes only what all
 * have; the rest was done on a branch, and is counted there.
 */
function events(set) {
  if (!eventLists.has(set)) eventLists.set(set, findEvents(set));
  return eventLists.get(set);
}

function findEvents(set) {
  const found = [];
  for (let version = 1; version < versions.length; version++) {
    const here = contains(set, version);
    const parents = commits[version].parents.length > 0 ? commits[version].parents : [version - 1];
    const before = parents.map((parent) => contains(set, parent));
    if (here && !before.includes(true)) found.push({ version, added: true });
    if (!here && !before.includes(false)) found.push({ version, added: false });
  }
  return found;
}

/** How an element stands to the chosen version and its base: what the whole picture is about. */
function stateOf(set, version, base) {
  const here = contains(set, version);
  if (base < 0) return here ? "common" : "other";
  const before = contains(set, base);
  if (here) return before ? "common" : "added";
  return before ? "removed" : "other";
}

/** Whether a statement that is in both versions was given another meaning between them. */
function meaningChanged(node, version, base) {
  if (node.meaning.length === 0 || base < 0) return false;
  const [low, high] = base < version ? [base, version] : [version, base];
  return node.meaning.some((change) => change > low && change <= high);
}

/** Statements added, removed and with another meaning, by version. */
function emptyTally() {
  return { added: 0, removed: 0, meaning: 0 };
}

const tallies = { total: emptyTally(), byVersion: versions.map(emptyTally) };

for (const fn of functions) {
  fn.total = emptyTally();
  fn.byVersion = new Map();
  const at = (version) => {
    if (!fn.byVersion.has(version)) fn.byVersion.set(version, emptyTally());
    return [fn.byVersion.get(version), fn.total, tallies.total, tallies.byVersion[version]];
  };
  for (const node of fn.nodes.filter(isStatement)) {
    for (const event of events(node.set)) {
      for (const tally of at(event.version)) tally[event.added ? "added" : "removed"]++;
    }
    for (const version of node.meaning) for (const tally of at(version)) tally.meaning++;
  }
  fn.changes = fn.total.added + fn.total.removed + fn.total.meaning;
  // Flow can change while all statements stay, for example when the arms of a condition are swapped.
  fn.flow = fn.edges.some((edge) => events(edge.set).length > 0);
  if (fn.flow && fn.changes === 0) {
    for (const edge of fn.edges) for (const event of events(edge.set)) at(event.version);
  }
  fn.changed = fn.changes > 0 || fn.flow || events(fn.set).length > 0;
}

/** The versions in which a function changed, ascending. */
function changedVersions(fn) {
  return [...fn.byVersion.keys()].sort((a, b) => a - b);
}

/** Added and removed statements of every changed function between two versions, most changed first. */
function changesBetween(version, base) {
  const states = new Map();
  const state = (set) => {
    if (!states.has(set)) states.set(set, stateOf(set, version, base));
    return states.get(set);
  };
  const found = new Map();
  for (const fn of functions) {
    const tally = { ...emptyTally(), flow: false };
    for (const node of fn.nodes) {
      if (!isStatement(node)) continue;
      const how = state(node.set);
      if (how === "added" || how === "removed") tally[how]++;
      else if (how === "common" && meaningChanged(node, version, base)) tally.meaning++;
    }
    tally.flow = fn.edges.some((edge) => ["added", "removed"].includes(state(edge.set)));
    tally.sum = tally.added + tally.removed + tally.meaning;
    tally.life = state(fn.set);
    if (tally.sum > 0 || tally.flow) found.set(fn, tally);
  }
  return new Map([...found].sort(([, a], [, b]) => b.sum - a.sum));
}
