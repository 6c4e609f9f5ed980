// The built-in layered layout: quick and plain. Used where the layout library is missing, too slow, or cannot run in a
// worker. Layers by longest path, order by barycentres, long edges in lanes beside the graph.

const GAP_X = 32;
const GAP_Y = 44;
const LANE = 14;
/** Edges over more layers than this take a lane, so that the layers need not make room for them. */
const LONGEST_SPAN = 10;

/** Lays out `{items: [{key, width, height}], links: [{from, to}]}`; adds x, y to items and points to links. */
function layOutInLayers(graph) {
  const index = new Map(graph.items.map((item, place) => [item, place]));
  const links = graph.links.map((link) => ({ link, from: index.get(link.from), to: index.get(link.to) }));
  markBackEdges(graph.items.length, links);
  const layer = longestPaths(graph.items.length, links);

  const cells = graph.items.map((item, place) => ({
    item,
    layer: layer[place],
    width: item.width,
    height: item.height,
    up: [],
    down: [],
  }));
  for (const edge of links) edge.cells = chain(cells, edge, layer);
  const layers = orderLayers(cells);
  place(layers);
  routeLanes(
    links.filter((edge) => !edge.cells),
    cells,
    layers,
  );
  const gaps = [];
  for (const edge of links) if (edge.cells) edge.link.points = pointsThrough(edge.cells, gaps);
  for (const cell of cells) if (cell.item) Object.assign(cell.item, { x: cell.x, y: cell.y });
  return shiftToOrigin(graph);
}

/** Marks edges that close a cycle in a depth-first walk (without recursion: functions can be long). */
function markBackEdges(size, links) {
  const out = Array.from({ length: size }, () => []);
  for (const edge of links) out[edge.from].push(edge);
  const state = new Uint8Array(size);
  for (let root = 0; root < size; root++) {
    const stack = state[root] === 0 ? [[root, 0]] : [];
    if (stack.length > 0) state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = out[top[0]][top[1]++];
      if (!edge) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[edge.to] === 1) edge.back = true;
      else if (state[edge.to] === 0) {
        state[edge.to] = 1;
        stack.push([edge.to, 0]);
      }
    }
  }
}

function longestPaths(size, links) {
  const layer = new Int32Array(size);
  const waiting = new Int32Array(size);
  const out = Array.from({ length: size }, () => []);
  for (const edge of links) {
    if (edge.back) continue;
    out[edge.from].push(edge.to);
    waiting[edge.to]++;
  }
  const ready = [...waiting.keys()].filter((node) => waiting[node] === 0);
  for (let next = 0; next < ready.length; next++) {
    for (const to of out[ready[next]]) {
      layer[to] = Math.max(layer[to], layer[ready[next]] + 1);
      if (--waiting[to] === 0) ready.push(to);
    }
  }
  return layer;
}

/** The cells an edge runs through, with a narrow one in every layer between; null for edges that take a lane. */
function chain(cells, edge, layer) {
  const span = layer[edge.to] - layer[edge.from];
  if (edge.back || span < 1 || span > LONGEST_SPAN) return null;
  const through = [cells[edge.from]];
  for (let step = 1; step < span; step++) {
    cells.push({ item: null, layer: layer[edge.from] + step, width: 2, height: 0, up: [], down: [] });
    through.push(cells[cells.length - 1]);
  }
  through.push(cells[edge.to]);
  for (let step = 1; step < through.length; step++) {
    through[step - 1].down.push(through[step]);
    through[step].up.push(through[step - 1]);
  }
  return through;
}

function orderLayers(cells) {
  const layers = [];
  for (const cell of cells) (layers[cell.layer] ??= []).push(cell);
  const number = (list) => list.forEach((cell, rank) => (cell.rank = rank));
  layers.forEach(number);
  const sweep = (list, side) => {
    for (const cell of list) {
      const near = cell[side];
      cell.weight =
        near.length === 0 ? cell.rank : near.reduce((sum, other) => sum + other.rank, 0) / near.length;
    }
    list.sort((a, b) => a.weight - b.weight || a.rank - b.rank);
    number(list);
  };
  for (let round = 0; round < 4; round++) {
    for (const list of layers) sweep(list, "up");
    for (const list of layers.toReversed()) sweep(list, "down");
  }
  for (const list of layers) sweep(list, "up");
  return layers;
}

/** Coordinates: layers below each other, cells pulled towards their neighbours as far as their order allows. */
function place(layers) {
  let y = 0;
  for (const list of layers) {
    let x = 0;
    const height = Math.max(...list.map((cell) => cell.height));
    for (const cell of list) {
      cell.x = x;
      cell.y = y + (height - cell.height) / 2;
      cell.top = y;
      cell.bottom = y + height;
      x += cell.width + GAP_X;
    }
    y += height + GAP_Y;
  }
  const centre = (cell) => cell.x + cell.width / 2;
  // Statements hold their line; edges that pass by give way, or the picture would drift aside.
  const weight = (cell) => (cell.item ? 12 : 1);
  const mean = (list, value) => {
    let [sum, weights] = [0, 0];
    for (const cell of list) [sum, weights] = [sum + weight(cell) * value(cell), weights + weight(cell)];
    return sum / weights;
  };
  const pull = (list, side) => {
    const wishes = new Map(
      list.map((cell) => [
        cell,
        (cell[side].length === 0 ? centre(cell) : mean(cell[side], centre)) - cell.width / 2,
      ]),
    );
    let free = -Infinity;
    for (const cell of list) {
      cell.x = Math.max(wishes.get(cell), free);
      free = cell.x + cell.width + GAP_X;
    }
    // What was pushed right only by its neighbours shares the error with them.
    const error = mean(list, (cell) => cell.x - wishes.get(cell));
    for (const cell of list) cell.x -= error;
  };
  for (let round = 0; round < 6; round++) {
    for (const list of layers) pull(list, "up");
    for (const list of layers.toReversed()) pull(list, "down");
  }
}

/** Where edges leave and enter a statement: side by side, in the order of their other ends. */
function ports(cell, side) {
  const order = [...cell[side]].sort((a, b) => a.x + a.width / 2 - b.x - b.width / 2);
  const gap = Math.min(16, cell.width / (order.length + 1));
  return (other) => cell.x + cell.width / 2 + (order.indexOf(other) - (order.length - 1) / 2) * gap;
}

/** Down through its layers, across only in the gaps between them. */
function pointsThrough(cells, gaps) {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  const points = [{ x: ports(first, "down")(cells[1]), y: first.y + first.height }];
  for (let step = 1; step < cells.length; step++) {
    const cell = cells[step];
    const x = cell === last ? ports(last, "up")(cells[step - 1]) : cell.x;
    const before = points[points.length - 1].x;
    if (Math.abs(before - x) > 1) {
      // Edges that cross the same gap do so at different heights.
      gaps[cell.layer] = (gaps[cell.layer] ?? -1) + 1;
      const y = cell.top - GAP_Y / 2 + [0, 7, -7, 12, -12][gaps[cell.layer] % 5];
      points.push({ x: before, y }, { x, y });
    }
    points.push({ x, y: cell === last ? last.y : cell.bottom });
  }
  return points;
}

/**
 * Long edges go right of the layers they pass, edges back up left of them, short ones inside. Edges to one target share a
 * lane where they can.
 */
function routeLanes(edges, cells, layers) {
  const rim = {
    left: layers.map((list) => Math.min(...list.map((cell) => cell.x))),
    right: layers.map((list) => Math.max(...list.map((cell) => cell.x + cell.width))),
  };
  const lanes = { left: new Map(), right: new Map() };
  const span = (edge) => Math.abs(cells[edge.from].layer - cells[edge.to].layer);
  for (const edge of edges.sort((a, b) => span(a) - span(b))) {
    const [from, to] = [cells[edge.from], cells[edge.to]];
    const side = edge.back || from.layer >= to.layer ? "left" : "right";
    const outer = side === "left" ? (a, b) => Math.min(a, b) : (a, b) => Math.max(a, b);
    const away = side === "left" ? -LANE : LANE;
    const [first, last] = [Math.min(from.layer, to.layer), Math.max(from.layer, to.layer)];
    const shared = lanes[side].get(to);
    let needed = side === "left" ? Infinity : -Infinity;
    for (let layer = first; layer <= last; layer++) {
      if (!shared || layer < shared.first || layer > shared.last)
        needed = outer(needed, rim[side][layer] + away);
    }
    const x =
      shared && outer(shared.x, needed) === shared.x
        ? shared.x
        : outer(needed, shared ? shared.x + away : needed);
    for (let layer = first; layer <= last; layer++) rim[side][layer] = outer(rim[side][layer], x);
    lanes[side].set(to, { x, first, last });
    edge.link.points = lanePoints(from, to, x);
  }
}

function lanePoints(from, to, x) {
  const [start, end] = [from.y + from.height, to.y];
  const [startX, endX] = [from.x + from.width / 2 + 8, to.x + to.width / 2 - 8];
  return [
    { x: startX, y: start },
    { x: startX, y: start + 12 },
    { x, y: start + 12 },
    { x, y: end - 12 },
    { x: endX, y: end - 12 },
    { x: endX, y: end },
  ];
}

function shiftToOrigin(graph) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const see = (x, y) => {
    [left, top, right, bottom] = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x),
      Math.max(bottom, y),
    ];
  };
  for (const item of graph.items) {
    see(item.x, item.y);
    see(item.x + item.width, item.y + item.height);
  }
  for (const link of graph.links) for (const point of link.points) see(point.x, point.y);
  for (const item of graph.items) [item.x, item.y] = [item.x - left, item.y - top];
  for (const link of graph.links) {
    link.points = link.points.map((point) => ({ x: point.x - left, y: point.y - top }));
    link.labelAt = labelPlace(link.points);
  }
  spreadLabels(graph);
  return graph.items.length === 0 ? { width: 0, height: 0 } : { width: right - left, height: bottom - top };
}

/** Labels stand at the start of an edge, where a reader asks which way to go. */
function labelPlace(points) {
  const across = points.findIndex((point, i) => i > 0 && point.y === points[i - 1].y);
  if (across < 0) return { x: points[0].x, y: (points[0].y + points[points.length - 1].y) / 2 };
  const [a, b] = [points[across - 1], points[across]];
  return { x: a.x + Math.sign(b.x - a.x) * Math.min(Math.abs(b.x - a.x) / 2, 60), y: a.y };
}
