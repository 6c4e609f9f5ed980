// The data of the page as objects: versions, functions, statements (nodes) and flow (edges).

const data = JSON.parse(byId("data").textContent);
const versions = data.versions;
const commits = data.commits;

/** Rows of a table that is stored by column. */
function rows(columns, build) {
  const names = Object.keys(columns);
  const length = names.length === 0 ? 0 : columns[names[0]].length;
  return Array.from({ length }, (_, index) => build((name) => columns[name][index], index));
}

const functions = rows(data.functions, (get, index) => ({
  index,
  name: get("name"),
  file: data.texts[get("file")],
  set: get("set"),
  nodes: [],
  edges: [],
  callers: [],
}));

const nodes = rows(data.nodes, (get, index) => ({
  index,
  id: String(get("id")),
  function: functions[get("function")],
  text: data.texts[get("text")],
  kind: data.texts[get("kind")],
  set: get("set"),
  lines: get("lines"),
  branch: get("branch"),
  merge: get("merge"),
  meaning: get("meaning"),
  out: [],
  in: [],
  calls: [],
}));
for (const node of nodes) node.function.nodes.push(node);

const edges = rows(data.edges, (get, index) => ({
  index,
  from: nodes[get("from")],
  to: nodes[get("to")],
  kind: data.texts[get("kind")],
  set: get("set"),
}));
for (const edge of edges) {
  // Calls and returns between functions are shown as calls, not as flow inside a function.
  if (edge.from.function !== edge.to.function) continue;
  edge.from.out.push(edge);
  edge.to.in.push(edge);
  edge.from.function.edges.push(edge);
}

for (const call of rows(data.calls, (get) => ({
  from: nodes[get("from")],
  to: functions[get("to")] ?? null,
  name: data.texts[get("name")],
  set: get("set"),
}))) {
  call.from.calls.push(call);
  if (call.to) call.to.callers.push(call);
}

// Graphs may leave these flags out: versions part where outgoing edges live in different versions (spec F29).
const differ = (list) => list.some((edge) => edge.set !== list[0].set);
for (const node of nodes) {
  if (node.branch < 0) node.branch = Number(differ(node.out));
  if (node.merge < 0) node.merge = Number(differ(node.in));
}

/** Entry and exit are anchors of the picture, not statements that somebody wrote. */
function isStatement(node) {
  return !isAnchor(node, "entry") && !isAnchor(node, "exit");
}

function isAnchor(node, kind) {
  return node.kind.toLowerCase() === kind;
}

/** The line of a node in a version, or 0. */
function lineIn(node, version) {
  let line = 0;
  for (let i = 0; i < node.lines.length && node.lines[i] <= version; i += 2) line = node.lines[i + 1];
  return line;
}

/** What people read on a node. */
function labelOf(node) {
  return node.text || node.kind || `node ${node.id}`;
}
